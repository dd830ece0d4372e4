import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Json } from './client.ts'
import { testEnvironment } from './environment.ts'

const entry = fileURLToPath(new URL('../../core/commands/admin.ts', import.meta.url))

export interface Ended { code: number; out: string; err: string; json: Json }

/** Runs an operator's command on a DATA_DIR, as an operator on its machine would. */
export function adminOn(dataDir: string, ...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [entry, ...args], { env: testEnvironment({ DATA_DIR: dataDir }), maxBuffer: 1 << 26 }, (error, out, err) => {
      const code = error ? Number(error.code) : 0
      resolve({ code, out, err, json: (out.startsWith('{') || out.startsWith('[') ? JSON.parse(out) : null) as Json })
    })
  })
}

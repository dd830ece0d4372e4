import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Json } from './client.ts'
import { testEnvironment } from './environment.ts'

const entry = fileURLToPath(new URL('../../core/commands/admin.ts', import.meta.url))

export interface Ended { code: number; out: string; err: string; json: Json }

/** Runs an operator's command on a DATA_DIR, as an operator on its machine would. The code is -1 when a signal ended it. */
export function adminOn(dataDir: string, ...args: string[]): Promise<Ended> {
  return adminWith({ DATA_DIR: dataDir }, ...args)
}

/** The same with settings of its own. */
export function adminWith(settings: NodeJS.ProcessEnv, ...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [entry, ...args], { env: testEnvironment(settings), maxBuffer: 1 << 26 }, (error, out, err) => {
      const code = error ? Number(error.code ?? -1) : 0
      resolve({ code, out, err, json: (out.startsWith('{') || out.startsWith('[') ? JSON.parse(out) : null) as Json })
    })
  })
}

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Json } from './client.ts'
import { createTestEnvironment } from './environment.ts'

const entry = fileURLToPath(new URL('../../core/commands/admin/admin.ts', import.meta.url))

export interface CommandResult {
  code: number
  out: string
  err: string
  json: Json
}

/** Runs an operator's command on a DATA_DIR in a process of its own. The code is -1 if a signal ended the process. */
export function runAdmin(dataDir: string, ...args: string[]): Promise<CommandResult> {
  return runAdminWithSettings({ DATA_DIR: dataDir }, ...args)
}

/** Runs an operator's command with the given settings. */
export function runAdminWithSettings(settings: NodeJS.ProcessEnv, ...args: string[]): Promise<CommandResult> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [entry, ...args],
      { env: createTestEnvironment(settings), maxBuffer: 1 << 26 },
      (error, out, err) => {
        const code = error ? Number(error.code ?? -1) : 0
        resolve({ code, out, err, json: (out.startsWith('{') || out.startsWith('[') ? JSON.parse(out) : null) as Json })
      },
    )
  })
}

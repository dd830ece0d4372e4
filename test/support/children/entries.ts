import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createTestEnvironment } from '../environment.ts'

const root = join(import.meta.dirname, '../../..')

export interface EntryRun {
  code: number | null
  ready: boolean
  /** What the process wrote, without empty lines. */
  lines: string[]
}

/** Runs an entry point until it ends by itself, or says that it is ready and is stopped. */
export async function runEntry(entry: string, variables: NodeJS.ProcessEnv): Promise<EntryRun> {
  const env = { ...createTestEnvironment(variables), ...('NODE_ENV' in variables ? {} : { NODE_ENV: '' }) }
  const child = spawn(process.execPath, [join(root, entry)], { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  let written = ''
  let ready = false
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      written += text
    })
  child.once('message', () => {
    ready = true
    child.kill('SIGTERM')
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ready, lines: written.split('\n').filter(Boolean) }
}

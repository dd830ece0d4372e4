import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawnTied } from '../../../core/embedded/tied-process.ts'
import type { FileResult, WorkerOrder } from './run-files.ts'

export interface WorkerOptions {
  env: NodeJS.ProcessEnv
  /** Ends the process at once. */
  signal: AbortSignal
  /** The file that keeps the output until the process ends; the output is shown at once without it. */
  outputFile?: string
}

/**
 * Starts a process that runs test files one after another.
 * @param takeFile returns the next file, or undefined when there is none
 * @returns what came of each file; a process that ends during a file fails that file
 */
export async function runWorker(
  takeFile: () => string | undefined,
  { env, signal, outputFile }: WorkerOptions,
): Promise<FileResult[]> {
  const output = outputFile === undefined ? 'inherit' : openSync(outputFile, 'a')
  const child = spawnTied(
    [process.execPath, join(import.meta.dirname, 'run-files.ts')],
    { signal: 'SIGKILL' },
    { env, stdio: ['ignore', output, output, 'ipc'] },
  )
  const results: FileResult[] = []
  let current: string | undefined
  const sendNext = () => {
    current = takeFile()
    child.send({ file: current } satisfies WorkerOrder)
  }
  // Code under test may send messages of its own.
  child.on('message', (message) => {
    const result = message as FileResult
    if (current === undefined || result.file !== current) return
    results.push(result)
    sendNext()
  })
  signal.addEventListener('abort', () => child.kill('SIGKILL'))
  if (signal.aborted) child.kill('SIGKILL')
  else sendNext()
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => resolve())
  })
  if (typeof output === 'number') closeSync(output)
  if (outputFile !== undefined) process.stdout.write(readFileSync(outputFile))
  if (current !== undefined) results.push(createDeathResult(current))
  return results
}

const createDeathResult = (file: string): FileResult => ({
  file,
  durationMs: 0,
  passed: 0,
  failed: 1,
  failures: [`${file}: the process of the tests ended`],
  skipped: [],
})

import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { createLogFile } from '../embedded/log-file.ts'

type LineWriter = (name: string, text: string) => void

/**
 * Creates a writer that shows the log lines of all children in one stream. On a terminal, the lines are formatted for
 * people.
 */
async function createTerminalWriter(): Promise<LineWriter> {
  if (!process.stdout.isTTY)
    return (_, text) => {
      process.stdout.write(`${text}\n`)
    }
  const { build } = await import('pino-pretty')
  const stream = build({ translateTime: 'HH:MM:ss.l', ignore: 'pid,hostname', singleLine: true })
  return (name, text) => {
    const isRecord = text.startsWith('{')
    stream.write(isRecord ? `${text}\n` : `${name}: ${text}\n`)
  }
}

/** Creates a writer for a platform whose log is not shown: `<DATA_DIR>/logs/platform.log`, mode 0600. */
function createFileWriter(dataDir: string): LineWriter {
  const file = createLogFile(join(dataDir, 'logs/platform.log'))
  const descriptor = file.open()
  return (_, text) => {
    try {
      writeSync(descriptor, `${text}\n`)
    } catch {
      // The platform continues without the line, for example if the disk is full.
    }
  }
}

/**
 * Creates an output that holds back the lines of the children until the table is printed, so that the table is not lost
 * between them.
 * @param quiet whether the lines then go to a file instead of the terminal
 */
export async function createHeldOutput(quiet: boolean) {
  const terminalWriter = await createTerminalWriter()
  const pendingLines: [string, string][] = []
  let target: LineWriter = (name, text) => pendingLines.push([name, text])
  return {
    line: ((name, text) => target(name, text)) satisfies LineWriter as LineWriter,
    /** @param dataDir folder of a start that succeeded. A failed start gives none and always shows its lines. */
    show(dataDir?: string): void {
      target = quiet && dataDir !== undefined ? createFileWriter(dataDir) : terminalWriter
      for (const [name, text] of pendingLines.splice(0)) target(name, text)
    },
  }
}

/** Milliseconds after which a stop reports what it waits for. */
const waitNoticeDelayMs = 1_000

/**
 * Creates a function that reports what a long stop waits for.
 * @returns the function, which is called with the name of each part before the part is stopped
 */
export function createWaitReporter(report: (message: string) => void): (name?: string) => void {
  let timer: NodeJS.Timeout | undefined
  return (name) => {
    clearTimeout(timer)
    if (name !== undefined)
      timer = setTimeout(() => report(`Waiting for ${name}, which finishes what it has begun`), waitNoticeDelayMs)
  }
}

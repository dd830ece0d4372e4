import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { logFile } from '../embedded/tail.ts'

type Line = (name: string, text: string) => void

/** Shows the log lines of all children in one stream: as they are, or for people when that is a terminal. */
async function showLines(): Promise<Line> {
  if (!process.stdout.isTTY) return (_, text) => { process.stdout.write(`${text}\n`) }
  const { build } = await import('pino-pretty')
  const stream = build({ translateTime: 'HH:MM:ss.l', ignore: 'pid,hostname', singleLine: true })
  return (name, text) => {
    const isRecord = text.startsWith('{')
    stream.write(isRecord ? `${text}\n` : `${name}: ${text}\n`)
  }
}

/** The log of a platform that nobody wants to see: `<DATA_DIR>/logs/platform.log`, mode 0600. */
function fileLines(dataDir: string): Line {
  const file = logFile(join(dataDir, 'logs/platform.log'))
  const descriptor = file.open()
  return (_, text) => {
    try {
      writeSync(descriptor, `${text}\n`)
    } catch {
      // As with a full disk: the platform goes on without the line.
    }
  }
}

/**
 * Holds the lines of the children back until the table stands, so that nobody has to look for it between them.
 * @param quiet writes them to a file then, instead of showing them
 */
export async function heldLines(quiet: boolean) {
  const seen = await showLines()
  const held: [string, string][] = []
  let target: Line = (name, text) => held.push([name, text])
  return {
    line: ((name, text) => target(name, text)) satisfies Line as Line,
    /** @param dataDir of a start that succeeded; one that did not shows its lines in any case */
    show(dataDir?: string): void {
      target = quiet && dataDir !== undefined ? fileLines(dataDir) : seen
      for (const [name, text] of held.splice(0)) target(name, text)
    },
  }
}

/** Milliseconds after which a stop says what it waits for. */
const patience = 1_000

/** Says what a stop waits for that takes longer than a moment. @returns what hears the name of each part before it is stopped */
export function sayWaiting(say: (message: string) => void): (name?: string) => void {
  let timer: NodeJS.Timeout | undefined
  return (name) => {
    clearTimeout(timer)
    if (name !== undefined) timer = setTimeout(() => say(`Waiting for ${name}, which finishes what it has begun`), patience)
  }
}

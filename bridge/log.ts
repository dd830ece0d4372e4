import { pino, type Logger } from 'pino'

export type Log = Logger

/** One JSON line an event; readable in a terminal. No body and no credential is ever handed to it. */
export function openLog(level: string): Log {
  const pretty = process.stdout.isTTY ? { transport: { target: 'pino-pretty' } } : {}
  return pino({ name: 'bridge', level, ...pretty })
}

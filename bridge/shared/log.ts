import { pino, type Logger } from 'pino'

export type Log = Logger

/**
 * Creates a log with one JSON line per event; in a terminal the lines are readable. Bodies and credentials are never
 * logged.
 */
export function createLog(level: string): Log {
  const pretty = process.stdout.isTTY ? { transport: { target: 'pino-pretty' } } : {}
  return pino({ name: 'bridge', level, ...pretty })
}

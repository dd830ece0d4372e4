import { pino, type Logger } from 'pino'
import type { Settings } from './settings.ts'

export type Log = Logger

/** Members that never reach a log line, wherever they stand. */
const secrets = [
  'authorization', 'cookie', 'apiKey', 'password', 'secret', 'token', 'otp', 'privateKey',
  'headers.authorization', 'headers.cookie', 'headers["x-api-key"]', 'headers["set-cookie"]',
]

const options = { translateTime: 'HH:MM:ss.l', ignore: 'pid,hostname' }

/** A log of JSON lines on standard output, one an event; for people when that is a terminal. */
export function createLog(name: string, settings: Pick<Settings, 'logLevel' | 'production'>): Log {
  const redact = { paths: secrets.flatMap((path) => [path, `*.${path}`]), remove: true }
  const pretty = process.stdout.isTTY && !settings.production
  return pino({
    name,
    level: settings.logLevel,
    redact,
    base: { pid: process.pid },
    ...(pretty ? { transport: { target: 'pino-pretty', options } } : {}),
  })
}

import { pino, stdSerializers, type Logger } from 'pino'
import type { Settings } from './settings.ts'

export type Log = Logger

/** Members that never reach a log line, wherever they stand. */
const secrets = [
  'authorization', 'cookie', 'apiKey', 'password', 'secret', 'token', 'otp', 'privateKey',
  'headers.authorization', 'headers.cookie', 'headers["x-api-key"]', 'headers["set-cookie"]',
]

/** Members of PostgreSQL's errors that quote rows and values. */
const quoting = ['detail', 'where', 'internalQuery']

function withoutRows(error: Record<string, unknown>): Record<string, unknown> {
  if (typeof error !== 'object' || error === null) return error
  const kept = Object.fromEntries(Object.entries(error).filter(([name]) => !quoting.includes(name)))
  const { nativeError } = kept
  return typeof nativeError === 'object' && nativeError !== null ? { ...kept, nativeError: withoutRows({ ...nativeError }) } : kept
}

const options = { translateTime: 'HH:MM:ss.l', ignore: 'pid,hostname' }

/** A log of JSON lines on standard output, one an event; for people when that is a terminal. */
export function createLog(name: string, settings: Pick<Settings, 'logLevel' | 'production'>): Log {
  const redact = { paths: secrets.flatMap((path) => [path, `*.${path}`]), remove: true }
  const pretty = process.stdout.isTTY && !settings.production
  return pino({
    name,
    level: settings.logLevel,
    redact,
    serializers: { err: stdSerializers.wrapErrorSerializer(withoutRows) },
    base: { pid: process.pid },
    ...(pretty ? { transport: { target: 'pino-pretty', options } } : {}),
  })
}

import { pino, stdSerializers, type Logger } from 'pino'
import type { Settings } from './settings.ts'

export type Log = Logger

/** Members that never reach a log line, wherever they stand. */
const secrets = [
  'authorization',
  'cookie',
  'apiKey',
  'password',
  'secret',
  'token',
  'otp',
  'privateKey',
  'headers.authorization',
  'headers.cookie',
  'headers["x-api-key"]',
  'headers["set-cookie"]',
]

/** Members of errors that are told. Others may quote rows, values bound to a statement, or what was sent elsewhere. */
const told = [
  'type',
  'message',
  'stack',
  'code',
  'errno',
  'syscall',
  'address',
  'port',
  'status',
  'severity',
  'schema',
  'table',
  'column',
  'constraint',
  'routine',
  'sql',
]

function withoutValues(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return error
  return Object.fromEntries(Object.entries(error).filter(([name]) => told.includes(name)))
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
    serializers: { err: (cause: unknown) => withoutValues(stdSerializers.err(cause as Error)) },
    base: { pid: process.pid },
    ...(pretty ? { transport: { target: 'pino-pretty', options } } : {}),
  })
}

import { destination, pino, stdSerializers, type Logger, type LoggerOptions } from 'pino'
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
  const told = {
    name,
    level: settings.logLevel,
    redact,
    serializers: { err: (cause: unknown) => withoutValues(stdSerializers.err(cause as Error)) },
    base: { pid: process.pid },
  }
  if (process.stdout.isTTY && !settings.production) {
    return pino({ ...told, transport: { target: 'pino-pretty', options } })
  }
  return gathered(told)
}

/** Milliseconds for which lines are gathered, and the bytes that are written at once. */
const patience = 200
const most = 4_096
const warning = 40

/**
 * Lines go out together: a system call for each would cost a request a fifth of its time. A warning goes out at once
 * with all that came before it, and so does the rest when the process ends, unless it is killed.
 */
function gathered(told: LoggerOptions): Logger {
  const out = destination({ dest: 1, minLength: most, sync: true })
  setInterval(() => out.flushSync(), patience).unref()
  process.on('exit', () => out.flushSync())
  const hooks: LoggerOptions['hooks'] = {
    logMethod(inputs, method, level) {
      method.apply(this, inputs)
      if (level >= warning) out.flushSync()
    },
  }
  return pino({ ...told, hooks }, out)
}

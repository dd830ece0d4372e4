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

/** Milliseconds for which lines are gathered, characters that are written at once, and bytes that may wait for a slow reader. */
const patience = 200
const most = 16_384
const waiting = 32 * 1024 * 1024
const [warning, fatal] = [40, 60]

/**
 * Lines go out together: a system call for each would cost a request a fifth of its time. They go out beside the work, so
 * that nobody waits for the reader of a full pipe; what it does not read in time is dropped, and the log says how much.
 * A warning goes out at once with all that came before it, and so does the rest when the process ends, unless it is
 * killed.
 */
function gathered(told: LoggerOptions): Logger {
  const out = destination({ dest: 1, minLength: 0, maxLength: waiting, sync: false })
  let lines: string[] = []
  let length = 0
  let dropped = 0
  const taken = () => {
    const text = lines.join('')
    lines = []
    length = 0
    return text
  }
  const handOver = () => {
    if (lines.length > 0) out.write(taken())
  }
  const gather = (line: string) => {
    lines.push(line)
    length += line.length
    if (length >= most) handOver()
  }
  // What is being written beside the work may not end before the process does.
  const end = () => {
    out.flushSync()
    destination({ dest: 1, sync: true }).write(taken())
  }
  const hooks: LoggerOptions['hooks'] = {
    logMethod(inputs, method, level) {
      method.apply(this, inputs)
      if (level >= fatal) end()
      else if (level >= warning) handOver()
    },
  }
  const log = pino({ ...told, hooks }, { write: gather })
  out.on('drop', (text: string) => { dropped += text.split('\n').length - 1 })
  out.on('drain', () => {
    const count = dropped
    dropped = 0
    if (count > 0) log.warn({ lines: count }, 'log lines were dropped because nobody read them in time')
  })
  setInterval(handOver, patience).unref()
  process.on('exit', end)
  return log
}

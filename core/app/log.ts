import { destination, pino, stdSerializers, type Logger, type LoggerOptions } from 'pino'
import type { Settings } from './settings.ts'

export type Log = Logger

/** Members that are removed from every log line, at the top level and one level below. */
const secretMembers = [
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

/**
 * Members of errors that are logged. Others may quote rows, values bound to a statement, or data sent to another
 * service.
 */
const loggedMembers = [
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

function pickLoggedMembers(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return error
  return Object.fromEntries(Object.entries(error).filter(([name]) => loggedMembers.includes(name)))
}

const prettyOptions = { translateTime: 'HH:MM:ss.l', ignore: 'pid,hostname' }

/** Creates a log that writes JSON lines to standard output, or readable lines if the output is a terminal. */
export function createLog(name: string, settings: Pick<Settings, 'logLevel' | 'production'>): Log {
  const redact = { paths: secretMembers.flatMap((path) => [path, `*.${path}`]), remove: true }
  const loggerOptions = {
    name,
    level: settings.logLevel,
    redact,
    serializers: { err: (cause: unknown) => pickLoggedMembers(stdSerializers.err(cause as Error)) },
    base: { pid: process.pid },
  }
  if (process.stdout.isTTY && !settings.production) {
    return pino({ ...loggerOptions, transport: { target: 'pino-pretty', options: prettyOptions } })
  }
  return createBufferedLogger(loggerOptions)
}

/**
 * Milliseconds between two writes, number of buffered characters that triggers a write, and maximum number of bytes
 * that wait for a slow reader.
 */
const flushIntervalMs = 200
const maxBufferedLength = 16_384
const maxWaitingBytes = 32 * 1024 * 1024
const [warningLevel, fatalLevel] = [40, 60]

/**
 * Creates a log that writes lines together, because a system call for each line would take a fifth of a request's time.
 * Lines are written asynchronously, so that nothing waits for the reader of a full pipe; lines that are not read in
 * time are dropped, and the log says how many. A warning is written at once together with all lines before it. The
 * remaining lines are written when the process ends, unless it is killed.
 */
function createBufferedLogger(loggerOptions: LoggerOptions): Logger {
  const out = destination({ dest: 1, minLength: 0, maxLength: maxWaitingBytes, sync: false })
  let lines: string[] = []
  let length = 0
  let dropped = 0
  const takeLines = () => {
    const text = lines.join('')
    lines = []
    length = 0
    return text
  }
  const flushLines = () => {
    if (lines.length > 0) out.write(takeLines())
  }
  const bufferLine = (line: string) => {
    lines.push(line)
    length += line.length
    if (length >= maxBufferedLength) flushLines()
  }
  // An asynchronous write might not complete before the process ends.
  const flushNow = () => {
    out.flushSync()
    destination({ dest: 1, sync: true }).write(takeLines())
  }
  const hooks: LoggerOptions['hooks'] = {
    logMethod(inputs, method, level) {
      method.apply(this, inputs)
      if (level >= fatalLevel) flushNow()
      else if (level >= warningLevel) flushLines()
    },
  }
  const log = pino({ ...loggerOptions, hooks }, { write: bufferLine })
  out.on('drop', (text: string) => {
    dropped += text.split('\n').length - 1
  })
  out.on('drain', () => {
    const count = dropped
    dropped = 0
    if (count > 0) log.warn({ lines: count }, 'log lines were dropped because nobody read them in time')
  })
  setInterval(flushLines, flushIntervalMs).unref()
  process.on('exit', flushNow)
  return log
}

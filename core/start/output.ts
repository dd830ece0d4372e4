import pretty from 'pino-pretty'

/** Shows the log lines of all children in one stream: as they are, or for people when that is a terminal. */
export function showLines(): (name: string, text: string) => void {
  if (!process.stdout.isTTY) return (_, text) => { process.stdout.write(`${text}\n`) }
  const stream = pretty({ translateTime: 'HH:MM:ss.l', ignore: 'pid,hostname', singleLine: true })
  return (name, text) => {
    const isRecord = text.startsWith('{')
    stream.write(isRecord ? `${text}\n` : `${name}: ${text}\n`)
  }
}

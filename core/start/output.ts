/** Shows the log lines of all children in one stream: as they are, or for people when that is a terminal. */
export async function showLines(): Promise<(name: string, text: string) => void> {
  if (!process.stdout.isTTY) return (_, text) => { process.stdout.write(`${text}\n`) }
  const { build } = await import('pino-pretty')
  const stream = build({ translateTime: 'HH:MM:ss.l', ignore: 'pid,hostname', singleLine: true })
  return (name, text) => {
    const isRecord = text.startsWith('{')
    stream.write(isRecord ? `${text}\n` : `${name}: ${text}\n`)
  }
}

import { createServer as createHttp } from 'node:http'
import { createServer, type AddressInfo, type Server } from 'node:net'

const listening = async (server: Server) => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

export interface ReceivedMail {
  from: string
  to: string
  content: string
}

/** A mail server that keeps what it takes. `answer` decides what it says to each message's recipient. Source: RFC 5321. */
export async function startMailServer(answer: (to: string) => string = () => '250 OK') {
  const mails: ReceivedMail[] = []
  let connections = 0
  let openConnections = 0
  const server = createServer((socket) => {
    connections++
    openConnections++
    socket.once('close', () => openConnections--)
    let mail: ReceivedMail = { from: '', to: '', content: '' }
    let reading = false
    let rest = ''
    const say = (line: string) => socket.write(`${line}\r\n`)
    const command = (line: string) => {
      if (/^MAIL FROM:/i.test(line)) mail = { from: line.slice(10), to: '', content: '' }
      if (/^RCPT TO:/i.test(line)) {
        mail.to = line.slice(8)
        return say(answer(mail.to))
      }
      if (/^DATA/i.test(line)) {
        reading = true
        return say('354 go on')
      }
      if (/^QUIT/i.test(line)) return void socket.end('221 bye\r\n')
      return say('250 OK')
    }
    socket.on('error', () => socket.destroy())
    socket.on('data', (part) => {
      const lines = (rest + String(part)).split('\r\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (!reading) command(line)
        else if (line !== '.') mail.content += `${line}\n`
        else {
          reading = false
          mails.push(mail)
          say('250 taken')
        }
      }
    })
    say('220 here')
  })
  const port = await listening(server)
  return {
    url: `smtp://127.0.0.1:${port}?from=Shop%20%3Cshop%40example.com%3E`,
    mails,
    countConnections: () => connections,
    countOpenConnections: () => openConnections,
    stop: () => server.close(),
  }
}

/**
 * A gateway of text messages that answers with the given statuses in turn, then with 200. What is not JSON by its content
 * type is refused for good, and so is every other method.
 */
export async function startTextGateway(statuses: number[] = []) {
  const texts: { id: string; to: string; text: string; key: string | undefined; authorization: string | undefined }[] =
    []
  const server = createHttp((request, response) => {
    let body = ''
    request
      .on('data', (part) => {
        body += String(part)
      })
      .on('end', () => {
        const { authorization, 'idempotency-key': key, 'content-type': type } = request.headers
        if (request.method !== 'POST' || type !== 'application/json') return response.writeHead(415).end()
        const status = statuses.shift() ?? 200
        texts.push({
          ...(JSON.parse(body) as { id: string; to: string; text: string }),
          key: String(key),
          authorization,
        })
        response.writeHead(status).end()
      })
  })
  const port = await listening(server)
  return { url: `http://shop:s%40cret@127.0.0.1:${port}/messages`, texts, stop: () => server.close() }
}

/** A gateway of text messages that takes each one and never comes to the end of its answer. */
export async function startEndlessGateway() {
  let openAnswers = 0
  const server = createHttp((_, response) => {
    openAnswers++
    response.once('close', () => openAnswers--).writeHead(200)
    response.write('Thank you')
  })
  const port = await listening(server)
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${port}/messages`, countOpenAnswers: () => openAnswers, stop }
}

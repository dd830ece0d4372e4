import { connect, type ClientHttp2Session } from 'node:http2'

/**
 * Sends bare pushes, as many at a time as the service takes, and says how many it sent a second. Arguments: the address, the
 * authority, the certificate, the key, the topic, the number of pushes.
 */
const [url = '', ca = '', cert = '', key = '', topic = '', countText = '0'] = process.argv.slice(2)
const count = Number(countText)

const session = connect(url, { ca, cert, key })
const streams = await new Promise<number>((resolve, reject) => {
  session.once('error', reject)
  session.once('remoteSettings', ({ maxConcurrentStreams }) => resolve(maxConcurrentStreams ?? 100))
})
process.on('message', () => void measure(session))
process.on('SIGTERM', () => process.exit(0))
process.send?.({ ready: true })

async function measure(on: ClientHttp2Session): Promise<void> {
  const began = performance.now()
  let next = 0
  const lane = async () => {
    while (next < count) await push(on, next++)
  }
  await Promise.all(Array.from({ length: streams }, lane))
  process.send?.({ perSecond: count / ((performance.now() - began) / 1_000) })
}

const push = (on: ClientHttp2Session, nth: number) =>
  new Promise<void>((resolve, reject) => {
    const stream = on.request({
      ':method': 'POST',
      ':path': `/3/device/${nth.toString(16).padStart(64, '0')}`,
      'apns-topic': topic,
      'apns-push-type': 'alert',
      'apns-priority': '10',
    })
    let status = 0
    stream.on('response', (headers) => (status = headers[':status'] ?? 0))
    stream.on('error', reject)
    stream.resume()
    stream.once('close', () => (status === 200 ? resolve() : reject(new Error(`a push was answered ${status}`))))
    stream.end('{}')
  })

import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { request } from 'undici'
import { waitUntil } from '../../../support/processes.ts'
import { deleteMessages, listDeliveries } from '../../../support/rows/queue/messages.ts'
import { listLetters } from '../../../support/rows/queue/runs/letters.ts'
import type { Message, TextMessage } from '../../../../core/kernel/ports/messenger.ts'
import { startCourier } from '../../../../core/queue/messages/courier.ts'
import { createPost } from '../../../../core/queue/messages/outbox.ts'
import { outboxOperations } from '../../../../core/pages/console/outbox.ts'
import { renderMail } from '../../../../core/pages/mails/mails.ts'
import { serveApi } from '../api.ts'
import { startEndlessGateway, startMailServer, startTextGateway } from './mailbox.ts'
import { createQueueParts, type QueueParts } from '../parts.ts'
import { useServers } from '../servers.ts'

const mail: Message = {
  to: 'anna@example.com',
  channel: 'email',
  subject: 'Your code',
  parts: [{ code: '123456', sentence: 'The code is 123456.' }, '<b>&</b>'],
  language: 'en',
  application: null,
}
const sms: TextMessage = { to: '+4915155555555', channel: 'sms', subject: '', text: 'The code is 654321.' }

describe('Messages by e-mail and SMS', () => {
  const servers = useServers()
  let parts: QueueParts
  const stops: (() => unknown)[] = []

  before(() => {
    parts = createQueueParts(servers().database.url, undefined)
  })
  after(() => parts.close())
  beforeEach(() => deleteMessages(servers().db))
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop()
  })

  const use = (settings: { smtpUrl?: string; smsUrl?: string }) => {
    const context = {
      ...parts.context,
      settings: { ...parts.context.settings, ...settings, publicUrl: 'https://shop.example.com' },
    }
    const post = createPost({ ...context, renderMail: (trx, written) => renderMail(trx, context, written) })
    const courier = startCourier({ context, backoff: { minSeconds: 0.05, maxSeconds: 0.1 } })
    stops.push(() => courier.stop())
    return (message: Message) => parts.context.db.transaction((trx) => post.sendMessage(trx, message))
  }
  const rows = () => listDeliveries(servers().db)

  it('stay in the outbox without a transport, readable on a page and as JSON, newest first', async () => {
    const send = use({})
    await send(mail)
    await sleep(5)
    await send(sms)
    const api = await serveApi(parts.context, outboxOperations)
    stops.push(() => api.stop())
    const json = await request(`${api.url}/dev/outbox.json`)
    expect(json.headers['content-type']).to.match(/^application\/json/)
    const listed = (await json.body.json()) as Record<string, string>[]
    expect(
      listed.map(({ id, at, ...rest }) => ({ ...rest, id: typeof id, at: new Date(at ?? '').toISOString() === at })),
    ).to.deep.equal([
      { ...sms, id: 'string', at: true },
      {
        to: mail.to,
        channel: 'email',
        subject: mail.subject,
        text: 'The code is 123456.\n\n<b>&</b>\n',
        id: 'string',
        at: true,
      },
    ])
    const answer = await request(`${api.url}/dev/outbox`)
    const text = await answer.body.text()
    expect(answer.headers['content-security-policy']).to.include("default-src 'none'").and.not.include('unsafe')
    expect(text)
      .to.include('The code is 123456.\n\n&lt;b&gt;&amp;&lt;/b&gt;')
      .and.include('http-equiv="refresh"')
      .and.include('name="viewport"')
    expect(text).not.to.match(/<script|<b>|style=/)
    expect(text.indexOf('654321')).to.be.below(text.indexOf('123456'))
    const [newer, older] = listed
    expect(text)
      .to.contain(`href="/dev/outbox/${older?.['id']}"`)
      .and.not.contain(`href="/dev/outbox/${newer?.['id']}"`)
  })

  it('show the HTML of a mail at an address of its own, in a sandbox', async () => {
    const send = use({})
    await send(mail)
    await send(sms)
    const api = await serveApi(parts.context, outboxOperations)
    stops.push(() => api.stop())
    const listed = (await (await request(`${api.url}/dev/outbox.json`)).body.json()) as Record<string, string>[]
    const [text, html] = await Promise.all(listed.map(({ id }) => request(`${api.url}/dev/outbox/${id}`)))
    expect(text?.statusCode).to.equal(404)
    expect(html?.headers['content-type']).to.match(/^text\/html/)
    expect(html?.headers['content-security-policy'])
      .to.match(/^default-src 'none'; .*; sandbox$/)
      .and.not.match(/script-src|https:|data:/)
    expect(await html?.body.text())
      .to.match(/^<!doctype html>\n<html lang="en">/)
      .and.match(/The code is <strong [^>]*>123456<\/strong>\./)
      .and.contain('&lt;b&gt;&amp;&lt;/b&gt;')
  })

  it('are shown to nobody in production', async () => {
    await use({})(mail)
    const { db } = servers()
    const [written] = await listLetters(db, mail.subject)
    const api = await serveApi(parts.context, outboxOperations, { production: true })
    stops.push(() => api.stop())
    for (const path of ['/dev/outbox', '/dev/outbox.json', `/dev/outbox/${written?.id}`]) {
      const answer = await request(`${api.url}${path}`)
      expect(answer.statusCode).to.equal(404)
      expect(await answer.body.text()).not.to.include('123456')
    }
  })

  it('leave by mail after the commit only, and their text is cleared', async () => {
    const server = await startMailServer()
    stops.push(server.stop)
    const send = use({ smtpUrl: server.url })
    const post = createPost({
      settings: { smtpUrl: server.url },
      notices: parts.notices,
      renderMail: async () => '<p>never</p>',
    })
    await parts.context.db
      .transaction(async (trx) => {
        await post.sendMessage(trx, { ...mail, subject: 'never' })
        await trx.rollback()
      })
      .catch(() => undefined)
    await send(mail)
    await waitUntil('it arrives', () => server.mails.length === 1)
    const [{ from, to, content } = { from: '', to: '', content: '' }] = server.mails
    expect(from).to.include('<shop@example.com>')
    expect(to).to.include('<anna@example.com>')
    expect(content)
      .to.match(/^Subject: Your code$/m)
      .and.match(/^From: Shop <shop@example.com>$/m)
      .and.include('The code is 123456.')
      .and.match(/^Content-Type: multipart\/alternative;/m)
    expect(content.match(/^Content-Type: text\/\w+/gm)).to.deep.equal([
      'Content-Type: text/plain',
      'Content-Type: text/html',
    ])
    expect(content.indexOf('text/plain'), 'programs show the last part that they can').to.be.below(
      content.indexOf('<!doctype html>'),
    )
    await waitUntil('it is cleared', async () => (await rows())[0]?.status === 'sent')
    expect(await rows()).to.deep.equal([{ status: 'sent', body: '', html: null, attempts: 1 }])
  })

  it('leave over one connection to the mail server, one after the other', async () => {
    const server = await startMailServer()
    stops.push(server.stop)
    const send = use({ smtpUrl: server.url })
    for (let count = 1; count <= 3; count++) {
      await send(mail)
      await waitUntil('it is sent', async () => (await rows()).every(({ status }) => status === 'sent'))
    }
    expect([server.mails.length, server.countConnections()]).to.deep.equal([3, 1])
  })

  it('go to one recipient, whatever the address contains', async () => {
    const server = await startMailServer()
    stops.push(server.stop)
    await use({ smtpUrl: server.url })({ ...mail, to: 'anna@example.com, eve@example.com' })
    await waitUntil('it is over', async () => (await rows())[0]?.status !== 'queued')
    expect(server.mails.filter(({ to }) => to.includes('<eve@example.com>'))).to.deep.equal([])
  })

  it('are tried again while the other side has trouble, and given up when it refuses for good', async () => {
    const tried: string[] = []
    const server = await startMailServer((to) => {
      tried.push(to)
      if (to.includes('gone')) return '550 no such mailbox'
      return tried.length < 3 ? '451 later' : '250 OK'
    })
    stops.push(server.stop)
    const send = use({ smtpUrl: server.url })
    await send(mail)
    await waitUntil('it arrives', () => server.mails.length === 1)
    await send({ ...mail, to: 'gone@example.com' })
    await waitUntil('both are over', async () => (await rows()).every(({ status }) => status !== 'queued'))
    expect(await rows()).to.deep.equal([
      { status: 'sent', body: '', html: null, attempts: 3 },
      { status: 'failed', body: '', html: null, attempts: 1 },
    ])
  })

  it('leave as texts through a gateway, each with its id as idempotency key', async () => {
    const gateway = await startTextGateway([503])
    stops.push(gateway.stop)
    await use({ smsUrl: gateway.url })(sms)
    await waitUntil('it arrives', () => gateway.texts.length === 2)
    const [first, second] = gateway.texts
    expect(first).to.deep.equal(second)
    expect(first).to.include({
      to: sms.to,
      text: sms.text,
      key: first?.id,
      authorization: `Basic ${Buffer.from('shop:s@cret').toString('base64')}`,
    })
    await waitUntil('it is cleared', async () => (await rows())[0]?.status === 'sent')
  })

  it('are tried again when the gateway took too long or has too many, and given up when it refuses them', async () => {
    const gateway = await startTextGateway([408, 429, 404])
    stops.push(gateway.stop)
    await use({ smsUrl: gateway.url })(sms)
    await waitUntil('it is over', async () => (await rows())[0]?.status !== 'queued')
    expect(await rows()).to.deep.equal([{ status: 'failed', body: '', html: null, attempts: 3 }])
  })

  it('do not wait for the end of what a gateway answers', async () => {
    const gateway = await startEndlessGateway()
    stops.push(gateway.stop)
    await use({ smsUrl: gateway.url })(sms)
    await waitUntil('it is sent', async () => (await rows())[0]?.status === 'sent')
    // In less than the ten seconds after which an attempt is given up.
    await waitUntil('the connection is closed', () => gateway.countOpenAnswers() === 0, 5_000)
  })

  it('have an end: a gateway that never works loses the message after nine attempts', async () => {
    const gateway = await startTextGateway(Array.from({ length: 20 }, () => 500))
    stops.push(gateway.stop)
    await use({ smsUrl: gateway.url })(sms)
    const nudge = setInterval(
      () => void parts.context.db.transaction((trx) => parts.notices.notify(trx, 'message', '')),
      60,
    )
    await waitUntil('it is over', async () => (await rows())[0]?.status === 'failed').finally(() =>
      clearInterval(nudge),
    )
    expect(await rows()).to.deep.equal([{ status: 'failed', body: '', html: null, attempts: 9 }])
    expect(gateway.texts).to.have.length(9)
  })
})

import { newestMessages, type OutboxMessage } from '../features/outbox/index.ts'
import { text } from '../kernel/answer.ts'
import { operation, type Operation, type RequestFacts } from '../kernel/operation.ts'
import { notFound } from '../kernel/problem.ts'
import { html, type Markup } from './html.ts'
import { page } from './layout.ts'

/** Seconds between two looks of the browser. */
const refresh = 5

/**
 * Refuses callers of other machines as if the page were not there: whoever reads it can sign in as anybody. A request that
 * a proxy hands on comes from another machine, also where the proxy itself runs on this one. @throws NOT_FOUND
 */
function demandLocalCaller({ address, headers }: RequestFacts): void {
  const handedOn = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'].some((name) => headers[name] !== undefined)
  if (handedOn || !/^(127(\.\d{1,3}){3}|::1)$/.test(address)) throw notFound()
}

const messagesJson = operation({
  id: 'dev_outbox_json_v1', method: 'GET', path: '/dev/outbox.json', summary: 'Messages, as JSON', tag: 'Development', access: 'public',
  hidden: true, returns: { 200: { type: 'application/json', description: 'The newest messages first.' } },
}).readBy(async ({ work, request }) => {
  demandLocalCaller(request)
  const messages = JSON.stringify(await newestMessages(work.trx, work.context))
  return text(messages, 'application/json; charset=utf-8', { 'Cache-Control': 'no-store' })
})

const messagesPage = operation({
  id: 'dev_outbox_v1', method: 'GET', path: '/dev/outbox', summary: 'Messages, for people', tag: 'Development', access: 'public',
  page: true, returns: { 200: { type: 'text/html', description: 'The page.' } },
}).readBy(async ({ work, request }) => {
  demandLocalCaller(request)
  return outboxPage(await newestMessages(work.trx, work.context))
})

const outboxPage = (messages: readonly OutboxMessage[]) => page({ title: 'Outbox', refresh }, html`<h1>Outbox</h1>
<p>Messages of this installation, the newest first. <a href="/dev/outbox.json">As JSON</a></p>
${messages.length === 0 ? html`<p>Nothing was sent yet.</p>` : messages.map(messageMarkup)}`)

const messageMarkup = ({ id, to, channel, subject, text: body, at }: OutboxMessage): Markup => html`<article class="card" id="m-${id}">
<h2>${subject || (channel === 'sms' ? 'Text message' : 'No subject')}</h2>
<p class="quiet">${channel === 'sms' ? 'Text' : 'Mail'} to ${to}, <time datetime="${at}">${at}</time></p>
<pre>${body || 'Delivered; the text was cleared.'}</pre>
</article>`

/** What would leave as mail or text, shown in development; absent (404) in production. */
export const outboxOperations: Operation[] = [messagesJson, messagesPage]

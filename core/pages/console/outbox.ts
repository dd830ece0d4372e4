import { listNewestMessages, readMailHtml, type OutboxMessage } from '../../features/outbox/index.ts'
import { answerText } from '../../kernel/answer.ts'
import { declareOperation, type Operation, type RequestDetails } from '../../kernel/operation.ts'
import { createNotFoundProblem } from '../../kernel/problem.ts'
import { uuid } from '../../kernel/schema.ts'
import { html, type Markup } from '../site/html.ts'
import { renderPage } from '../site/layout.ts'

/** The interval between two reloads of the page, in seconds. */
const refreshSeconds = 5

/**
 * Refuses callers from other machines as if the page did not exist: whoever reads it can sign in as anybody. A request
 * that a proxy passes on counts as a request from another machine, even if the proxy runs on this one.
 * @throws NOT_FOUND
 */
function assertLocalCaller({ address, headers }: RequestDetails): void {
  const handedOn = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'].some((name) => headers[name] !== undefined)
  if (handedOn || !/^(127(\.\d{1,3}){3}|::1)$/.test(address)) throw createNotFoundProblem()
}

const messagesJson = declareOperation({
  id: 'dev_outbox_json_v1',
  method: 'GET',
  path: '/dev/outbox.json',
  access: 'public',
  returns: { 200: { type: 'application/json', description: 'The newest messages first.' } },
  document: { tag: 'Development', summary: 'Messages, as JSON', isHidden: true },
}).withReadHandler(async ({ work, request }) => {
  assertLocalCaller(request)
  const messages = await listNewestMessages(work.trx, work.context)
  return answerText(
    JSON.stringify(messages.map(({ hasHtml: _, ...message }) => message)),
    'application/json; charset=utf-8',
    { 'Cache-Control': 'no-store' },
  )
})

const messagesPage = declareOperation({
  id: 'dev_outbox_v1',
  method: 'GET',
  path: '/dev/outbox',
  access: 'public',
  returns: { 200: { type: 'text/html', description: 'The page.' } },
  transport: { page: true },
  document: { tag: 'Development', summary: 'Messages, for people' },
}).withReadHandler(async ({ work, request }) => {
  assertLocalCaller(request)
  return renderOutbox(await listNewestMessages(work.trx, work.context))
})

/**
 * The policy of a mail that is looked at alone, which is a sandbox: it runs nothing and sends nothing. It has the styles of
 * its attributes, and pictures of ours only, as it has wherever it is opened.
 */
const createMailPolicy = (publicUrl: string): string =>
  `default-src 'none'; style-src-attr 'unsafe-inline'; img-src 'self' ${new URL(publicUrl).origin}; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox`

const mailPage = declareOperation({
  id: 'dev_outbox_mail_v1',
  method: 'GET',
  path: '/dev/outbox/:id',
  access: 'public',
  params: { id: uuid('The mail.') },
  returns: { 200: { type: 'text/html', description: 'The mail.' } },
  transport: { page: true },
  document: { tag: 'Development', summary: 'The HTML of a mail' },
}).withReadHandler(async ({ params, work, request }) => {
  assertLocalCaller(request)
  const { trx, context } = work
  return answerText(await readMailHtml(trx, context, params.id), 'text/html; charset=utf-8', {
    'Content-Security-Policy': createMailPolicy(context.settings.publicUrl),
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  })
})

const renderOutbox = (messages: readonly OutboxMessage[]) =>
  renderPage(
    { title: 'Outbox', refresh: refreshSeconds },
    html`<h1>Outbox</h1>
<p>Messages of this installation, the newest first. <a href="/dev/outbox.json">As JSON</a></p>
${messages.length === 0 ? html`<p>Nothing was sent yet.</p>` : messages.map(renderMessage)}`,
  )

const renderMessage = ({ id, to, channel, subject, text: body, at, hasHtml }: OutboxMessage): Markup =>
  html`<article class="card" id="m-${id}">
<h2>${subject || (channel === 'sms' ? 'Text message' : 'No subject')}</h2>
<p class="quiet">${channel === 'sms' ? 'Text' : 'Mail'} to ${to}, <time datetime="${at}">${at}</time></p>
<pre>${body || 'Delivered; the text was cleared.'}</pre>
${hasHtml && html`<p><a href="/dev/outbox/${id}">See it as HTML</a></p>\n`}</article>`

/** The pages that show mails and text messages in development; in production they do not exist (404). */
export const outboxOperations: Operation[] = [messagesJson, messagesPage, mailPage]

import { redirect } from '../../kernel/answer.ts'
import type { Caller, MemberCaller } from '../../kernel/caller.ts'
import { operation, type Operation } from '../../kernel/operation.ts'
import { emptyPage } from '../../kernel/page.ts'
import { object, uuid } from '../../kernel/schema.ts'
import { endOtherSessions, endOwnSession, listSessions, type ListedSession } from '../../features/identity/index.ts'
import { consolePage, forMembers } from '../console.ts'
import { html, type Markup } from '../html.ts'

/** Sessions that the page shows: the newest. */
const maxShown = 100

const here = '/console/sessions'
const toSignIn = () => redirect(`/console/sign-in?next=${encodeURIComponent(here)}`, undefined, 303)
const isMember = (caller: Caller): caller is MemberCaller => caller.kind === 'member'

const list = operation({
  id: 'console_sessions_page_v1', method: 'GET', path: here, summary: 'Where a member is signed in', ...forMembers,
}).readBy(async ({ caller, work }) => {
  if (!isMember(caller)) return toSignIn()
  const { data, total } = await listSessions(work.trx, caller, { ...emptyPage, pageSize: maxShown })
  return consolePage(work.context, caller, { title: 'Where you are signed in', wide: false }, sessionList(data, total))
})

const end = operation({
  id: 'console_session_end_page_v1', method: 'POST', path: `${here}/end`, summary: 'End a session of a member', ...forMembers,
  body: object({ session: uuid('The session to end.') }),
}).performedBy(async ({ body, caller, context }) => {
  if (!isMember(caller)) return toSignIn()
  await endOwnSession(context.db, caller, body.session)
  return redirect(here, undefined, 303)
})

const endOthers = operation({
  id: 'console_sessions_end_page_v1', method: 'POST', path: `${here}/end-others`, summary: 'End all other sessions of a member',
  ...forMembers,
}).performedBy(async ({ caller, context }) => {
  if (!isMember(caller)) return toSignIn()
  await endOtherSessions(context.db, caller)
  return redirect(here, undefined, 303)
})

function sessionList(sessions: readonly ListedSession[], total: number): Markup {
  return html`<h1>Where you are signed in</h1>
<p>End what you do not know. Whoever used it is signed out at once.</p>
${sessions.map(entryOf)}
${total > sessions.length && html`<p class="quiet">The newest ${sessions.length} of ${total}.</p>`}
${total > 1 && html`<form method="post" action="${here}/end-others"><button>End all others</button></form>`}`
}

const time = (instant: string) => html`<time datetime="${instant}">${instant.slice(0, 16).replace('T', ' ')} UTC</time>`

const entryOf = ({ id, createdAt, lastSeenAt, address, agent, current }: ListedSession): Markup => html`<article class="card row">
<p><strong>${agent ?? 'A program without a name'}</strong>${current && html` <span class="badge good">This one</span>`}<br>
<span class="quiet">Since ${time(createdAt)}${address !== null && html` from ${address}`}, last used ${time(lastSeenAt)}</span></p>
${!current && html`<form method="post" action="${here}/end"><input type="hidden" name="session" value="${id}">
<button class="small" aria-label="End the session since ${createdAt}">End</button></form>`}
</article>`

/** Where a member is signed in, and the end of it. */
export const sessionPages: Operation[] = [list, end, endOthers]

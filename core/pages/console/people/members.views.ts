import { roles, type Role } from '../../../kernel/permission.ts'
import type { ProblemError } from '../../../kernel/problem.ts'
import type { Invitation, Member } from '../../../features/identity/index.ts'
import { html, type Markup } from '../../site/html.ts'
import { addRefusals, renderField, renderRefusal, renderSelect } from '../frame/forms.views.ts'
import {
  formatCount,
  renderDay,
  renderListHead,
  renderOptions,
  renderPager,
  renderTable,
} from '../frame/lists.views.ts'
import type { ConsolePage } from '../frame/frame.ts'
import type { ConsoleWords } from '../words/words.ts'
import { peopleWords, type PeopleWords } from './words.ts'

export const membersPath = '/console/members'
export const invitationsPath = `${membersPath}/invitations`

/** What the page of members shows, and what the member who looks at it may do. */
export interface MembersView {
  members: readonly Member[]
  total: number
  isFirst: boolean
  next: string | null
  /** Null if the member may not see invitations. */
  invitations: readonly Invitation[] | null
  mayInvite: boolean
  mayWithdraw: boolean
  mayUpdate: boolean
  mayRemove: boolean
  problem?: ProblemError | undefined
  /** What was written into the form that was refused. */
  form?: { email: string; role: string } | undefined
}

const formatPerson = ({ user: { name, email } }: Member) => (name === null ? email : `${name}, ${email}`)

/** The words of the console, with those for what is refused here. */
export const addPeopleRefusals = ({ words, language }: Pick<ConsolePage, 'words' | 'language'>): ConsoleWords =>
  addRefusals(words, peopleWords[language].codes)

/** The roles that a member may give: only an owner makes owners. */
const listGivenRoles = (giver: Role): readonly Role[] => roles.filter((role) => role !== 'owner' || giver === 'owner')

const renderRoleOptions = (giver: Role, chosen: string, phrases: PeopleWords): Markup =>
  renderOptions(
    listGivenRoles(giver).map((role) => [role, phrases.roles[role]] as const),
    chosen,
  )

/** Renders the people of an organization with their roles, and the invitations that are open. */
export function renderMembers(page: ConsolePage, view: MembersView): Markup {
  const { member, language, words } = page
  const phrases = peopleWords[language]
  const mayTouch = ({ role }: Member) => role !== 'owner' || member.role === 'owner'
  const renderRole = (row: Member) =>
    view.mayUpdate && mayTouch(row)
      ? html`<form class="inline" method="post" action="${membersPath}/${row.id}">
<select name="role" aria-label="${phrases.roleOf(row.user.email)}">${renderRoleOptions(member.role, row.role, phrases)}</select>
<button class="small plain">${phrases.save}</button></form>`
      : phrases.roles[row.role]
  const renderRemoval = (row: Member) => {
    const address = `${membersPath}/${row.id}/remove`
    if (row.user.id === member.user) return html`<a href="${address}">${phrases.leave}</a>`
    return (
      view.mayRemove
      && mayTouch(row)
      && html`<a href="${address}" aria-label="${phrases.removePerson(row.user.email)}">${phrases.remove}</a>`
    )
  }
  const columns = [
    {
      head: phrases.person,
      cell: (row: Member) =>
        html`${formatPerson(row)}${row.user.id === member.user && html` <span class="badge good">${phrases.you}</span>`}`,
    },
    { head: phrases.role, cell: renderRole },
    { head: phrases.since, cell: (row: Member) => renderDay(row.createdAt) },
    { head: phrases.action, cell: renderRemoval },
  ]
  return html`<h1>${phrases.title}</h1>
<p>${phrases.intro}</p>
${renderRefusal(view.problem, addPeopleRefusals(page))}
${renderListHead(phrases.count(formatCount(view.total, language)), `${membersPath}.csv`, words)}
${renderTable(phrases.title, columns, view.members)}
${renderPager(membersPath, view.next, { isFirst: view.isFirst, words })}
<details><summary>${phrases.rolesHead}</summary>
<dl>${roles.map((role) => html`<dt>${phrases.roles[role]}</dt><dd>${phrases.roleUses[role]}</dd>`)}</dl></details>
${view.mayInvite && renderInviteForm(member.role, view.form ?? { email: '', role: 'editor' }, phrases)}
${view.invitations !== null && view.invitations.length > 0 && renderInvitations(view.invitations, view, phrases)}`
}

const renderInviteForm = (
  giver: Role,
  { email, role }: { email: string; role: string },
  phrases: PeopleWords,
): Markup =>
  html`<section aria-labelledby="invite"><h2 id="invite">${phrases.inviteHead}</h2>
<form class="card" method="post" action="${invitationsPath}">
${renderField({ name: 'email', label: phrases.email, value: email, type: 'email', isRequired: true, maxLength: 254, hint: phrases.inviteText })}
${renderSelect({ name: 'role', label: phrases.role }, renderRoleOptions(giver, role, phrases))}
<button>${phrases.invite}</button></form></section>`

function renderInvitations(
  invitations: readonly Invitation[],
  { mayInvite, mayWithdraw }: MembersView,
  phrases: PeopleWords,
): Markup {
  const columns = [
    { head: phrases.email, cell: ({ email }: Invitation) => email },
    { head: phrases.role, cell: ({ role }: Invitation) => phrases.roles[role] },
    { head: phrases.until, cell: ({ expiresAt }: Invitation) => renderDay(expiresAt) },
    {
      head: phrases.action,
      cell: ({ id, email, role }: Invitation) =>
        html`${
          mayInvite
          && html`<form class="inline" method="post" action="${invitationsPath}"><input type="hidden" name="email" value="${email}">
<input type="hidden" name="role" value="${role}"><button class="small plain" aria-label="${phrases.againTo(email)}">${phrases.again}</button></form>`
        }${
          mayWithdraw
          && html`<form class="inline" method="post" action="${invitationsPath}/${id}/withdraw"><button class="small plain" aria-label="${phrases.withdrawFrom(email)}">${phrases.withdraw}</button></form>`
        }`,
    },
  ]
  return html`<section aria-labelledby="invited"><h2 id="invited">${phrases.invitedHead}</h2>
${renderTable(phrases.invitedHead, columns, invitations)}</section>`
}

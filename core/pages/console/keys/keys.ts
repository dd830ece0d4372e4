import { answerRedirect, isAnswer, type Answer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import type { PermissionMap } from '../../../kernel/permission.ts'
import type { ProblemError } from '../../../kernel/problem.ts'
import { object, oneOf, optional, string } from '../../../kernel/schema.ts'
import {
  createOrganizationKey,
  listApiKeys,
  overlapHours,
  parsePermissions,
  readApiKey,
  revokeOrganizationKey,
  rotateApiKey,
  type CreatedApiKey,
  type ListedKey,
} from '../../../features/identity/index.ts'
import { listApplicationChoices } from '../../../features/applications/index.ts'
import { copyScript } from '../frame/copy.views.ts'
import { may, memberPageOptions } from '../console.ts'
import { getRefusal, renderQuestion } from '../frame/forms.views.ts'
import { openPage, renderFramed, type ConsolePage } from '../frame/frame.ts'
import { declareListFile } from '../frame/list-file.ts'
import { createPageRequest, cursorField, formatAddress, isGiven, readPages, type CsvColumns } from '../frame/lists.ts'
import {
  addKeyRefusals,
  formatName,
  getPresetPermissions,
  keysPath,
  listRevocationConsequences,
  presets,
  renderKeyForm,
  renderKeys,
  renderRotation,
  renderSecret,
  type KeyForm,
} from './keys.views.ts'
import { keyWords } from './words.ts'
import { getProblemStatus } from '../../site/layout.ts'

const dayMs = 86_400_000
const newestFirst = { field: 'createdAt', order: 'desc' } as const

/** The keys of the organization, the newest first. */
const listOperation = declareOperation({
  id: 'console_keys_page_v1',
  method: 'GET',
  path: keysPath,
  ...memberPageOptions,
  query: { cursor: cursorField },
  document: { tag: 'Pages', summary: 'API keys of the organization' },
}).withReadHandler(async (input) => {
  const page = openPage(input, keysPath, 'apiKey:read')
  if (isAnswer(page)) return page
  const { member, work, language } = page
  const { cursor } = input.query
  const request = createPageRequest([], { sorter: newestFirst, cursor })
  const { data, total, nextCursor } = await listApiKeys(work.trx, member.organization, request)
  const content = renderKeys(page, {
    keys: data,
    total,
    isFirst: !isGiven(cursor),
    next: nextCursor === null ? null : formatAddress(keysPath, { cursor: nextCursor }),
    mayCreate: may(member, 'apiKey:create'),
    mayUpdate: may(member, 'apiKey:update'),
  })
  return renderFramed(page, { title: keyWords[language].title }, content)
})

const columns: CsvColumns<ListedKey> = [
  ['id', ({ id }) => id],
  ['name', ({ name }) => name],
  ['last_four', ({ lastFour }) => lastFour],
  ['permissions', ({ permissions }) => formatPermissionList(permissions)],
  ['application_id', ({ application }) => application?.id ?? null],
  ['application_name', ({ application }) => application?.name ?? null],
  ['status', ({ status }) => status],
  ['created_at', ({ createdAt }) => createdAt],
  ['expires_at', ({ expiresAt }) => expiresAt],
  ['last_used_at', ({ lastUsedAt }) => lastUsedAt],
  ['last_used_from', ({ lastUsedFrom }) => lastUsedFrom],
]

const formatPermissionList = (map: PermissionMap): string =>
  Object.entries(map)
    .flatMap(([resource, allowed]) => (allowed ?? []).map((action) => `${resource}:${action}`))
    .join(' ')

/** The CSV file of all keys of the organization. */
const fileOperation = declareListFile({
  id: 'console_keys_file_v1',
  listPath: keysPath,
  permission: 'apiKey:read',
  fileName: 'api-keys',
  description: 'The keys.',
  summary: 'API keys as CSV',
  columns,
  readRows: ({ member, work }) =>
    readPages(newestFirst, (request) => listApiKeys(work.trx, member.organization, request)),
})

const newOperation = declareOperation({
  id: 'console_key_new_page_v1',
  method: 'GET',
  path: `${keysPath}/new`,
  ...memberPageOptions,
  query: { preset: optional(oneOf(presets, 'The permissions to begin with.')) },
  document: { tag: 'Pages', summary: 'A form for a new API key' },
}).withReadHandler(async (input) => {
  const page = openPage(input, `${keysPath}/new`, 'apiKey:create')
  if (isAnswer(page)) return page
  return renderNew(page, {
    name: '',
    permissions: getPresetPermissions(input.query.preset ?? 'read'),
    application: '',
    days: '',
  })
})

async function renderNew(page: ConsolePage, form: KeyForm, problem?: ProblemError): Promise<Answer> {
  const applications = await listApplicationChoices(page.work.trx, page.member.organization)
  return renderFramed(
    page,
    { title: keyWords[page.language].newTitle, wide: false, ...getProblemStatus(problem) },
    renderKeyForm(page, form, { applications, problem }),
  )
}

const showSecret = (page: ConsolePage, created: CreatedApiKey): Promise<Answer> =>
  renderFramed(
    page,
    { title: keyWords[page.language].secretTitle, wide: false, script: copyScript },
    renderSecret(page, created),
  )

/**
 * Returns the permissions whose boxes were ticked: a box is named `dpp:read`.
 * @throws VALIDATION_FAILED for a box that the form does not have
 */
function parseBoxes(boxes: Readonly<Record<string, string>>) {
  const map: Record<string, string[]> = {}
  for (const box of Object.keys(boxes)) {
    const [resource = '', ...action] = box.split(':')
    ;(map[resource] ??= []).push(action.join(':'))
  }
  return parsePermissions(map)
}

const createOperation = declareOperation({
  id: 'console_key_create_page_v1',
  method: 'POST',
  path: keysPath,
  ...memberPageOptions,
  body: object(
    {
      name: string('Its name.', { maxLength: 400 }),
      application: optional(string('The application that it is for, or nothing for all of them.', { maxLength: 36 })),
      days: oneOf(['', '30', '90', '365'], 'Days after which it ends, or nothing.'),
    },
    { additionalProperties: string('A permission whose box was ticked.', { maxLength: 3 }) },
  ),
  document: { tag: 'Pages', summary: 'Create an API key' },
}).withOutboundHandler(async (input) => {
  const page = openPage(input, keysPath, 'apiKey:create')
  if (isAnswer(page)) return page
  const { name, days, application = '', ...boxes } = input.body
  const form = { name: name.trim(), days, application, permissions: parseBoxes(boxes as Record<string, string>) }
  try {
    const expiresAt = days === '' ? null : new Date(Date.now() + Number(days) * dayMs)
    const limit = application === '' ? null : application
    const wanted = { name: form.name, permissions: form.permissions, application: limit, expiresAt }
    return await showSecret(page, await createOrganizationKey(page.work, page.member, wanted))
  } catch (cause) {
    return renderNew(page, form, getRefusal(cause))
  }
})

const rotationOperation = declareOperation({
  id: 'console_key_rotate_question_v1',
  method: 'GET',
  path: `${keysPath}/:id/rotate`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Before an API key is rotated' },
}).withReadHandler(async (input) => {
  const page = openPage(input, keysPath, 'apiKey:update')
  return isAnswer(page) ? page : askRotation(page, input.params.id)
})

async function askRotation(page: ConsolePage, id: string, problem?: ProblemError): Promise<Answer> {
  const key = await readApiKey(page.work.trx, page.member.organization, id)
  const title = keyWords[page.language].rotateTitle(formatName(key))
  const options = { title, wide: false, ...getProblemStatus(problem) }
  return renderFramed(page, options, renderRotation(page, key, problem))
}

const rotateOperation = declareOperation({
  id: 'console_key_rotate_page_v1',
  method: 'POST',
  path: `${keysPath}/:id/rotate`,
  ...memberPageOptions,
  body: object({ hours: oneOf(['0', '1', '24'], 'Hours for which the old key works on.') }),
  document: { tag: 'Pages', summary: 'Rotate an API key' },
}).withOutboundHandler(async (input) => {
  const page = openPage(input, keysPath, 'apiKey:update')
  if (isAnswer(page)) return page
  const hours = overlapHours.find((one) => `${one}` === input.body.hours) ?? 0
  const wanted = { id: input.params.id, hours }
  try {
    return await showSecret(page, await rotateApiKey(page.work, page.member, wanted))
  } catch (cause) {
    return askRotation(page, input.params.id, getRefusal(cause))
  }
})

const revocationOperation = declareOperation({
  id: 'console_key_revoke_question_v1',
  method: 'GET',
  path: `${keysPath}/:id/revoke`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Before an API key is revoked' },
}).withReadHandler(async (input) => {
  const page = openPage(input, keysPath, 'apiKey:update')
  return isAnswer(page) ? page : askRevocation(page, input.params.id)
})

async function askRevocation(page: ConsolePage, id: string, problem?: ProblemError): Promise<Answer> {
  const phrases = keyWords[page.language]
  const key = await readApiKey(page.work.trx, page.member.organization, id)
  const title = phrases.revokeTitle(formatName(key))
  const question = {
    title,
    consequences: listRevocationConsequences(key, phrases),
    button: phrases.revoke,
    action: `${keysPath}/${id}/revoke`,
    back: keysPath,
    problem,
  }
  const options = { title, wide: false, ...getProblemStatus(problem) }
  return renderFramed(page, options, renderQuestion(question, addKeyRefusals(page)))
}

const revokeOperation = declareOperation({
  id: 'console_key_revoke_page_v1',
  method: 'POST',
  path: `${keysPath}/:id/revoke`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Revoke an API key' },
}).withOutboundHandler(async (input) => {
  const page = openPage(input, keysPath, 'apiKey:update')
  if (isAnswer(page)) return page
  try {
    await revokeOrganizationKey(page.work, page.member, input.params.id)
    return answerRedirect(keysPath, undefined, 303)
  } catch (cause) {
    return askRevocation(page, input.params.id, getRefusal(cause))
  }
})

/** The pages about the API keys of an organization. */
export const keyPages: Operation[] = [
  listOperation,
  fileOperation,
  newOperation,
  createOperation,
  rotationOperation,
  rotateOperation,
  revocationOperation,
  revokeOperation,
]

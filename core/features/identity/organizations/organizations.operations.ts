import { createModelSource, listPage } from '../../../database/list/index.ts'
import type { KeyCaller, MemberCaller } from '../../../kernel/caller.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { mapPageResult, type PageRequest } from '../../../kernel/page.ts'
import type { Work } from '../../../kernel/work.ts'
import { changeOrganization, readOrganization } from './organizations.changes.ts'
import { deleteOrganization } from './organizations.deletion.ts'
import { signUpOrganization } from './organizations.creation.ts'
import { OrganizationModel, organizationColumns } from './organizations.model.ts'
import {
  NewOrganization,
  Organization,
  OrganizationList,
  organizationList,
  OrganizationPatch,
  type OrganizationShape,
} from './organizations.schema.ts'

const tag = 'Organizations'

const listOperation = declareOperation({
  id: 'list_organizations_v1',
  method: 'GET',
  path: '/v1/organizations',
  access: 'keyOrMember',
  scope: {},
  list: organizationList,
  returns: { 200: OrganizationList },
  document: {
    tag,
    summary: 'List organizations',
    description: 'Those that the member belongs to, with the role there; of a key the one it belongs to.',
    mcpName: 'list_organizations',
  },
}).withReadHandler(({ caller, page, work }) => listOrganizations(work, caller, page))

async function listOrganizations({ trx }: Work, caller: KeyCaller | MemberCaller, page: PageRequest) {
  const query = OrganizationModel.query(trx)
  const own = caller.kind === 'key' ? query.modify('ofKey', caller.organization) : query.modify('ofUser', caller.user)
  const listed = await listPage(createModelSource(own), page, organizationColumns)
  return mapPageResult(listed, ({ id, name, slug, role = null }) => ({ id, name, slug, role }))
}

const createOperation = declareOperation({
  id: 'create_organization_v1',
  method: 'POST',
  path: '/v1/organizations',
  access: 'member',
  body: NewOrganization,
  returns: { 201: Organization },
  problemCodes: ['ORG_LIMIT', 'ORG_SLUG_TAKEN', 'LEGAL_ACCEPTANCE_REQUIRED'],
  transport: { location: ({ id }: OrganizationShape) => `/v1/organizations/${id}` },
  document: {
    tag,
    summary: 'Sign up an organization',
    description:
      'The person of the session becomes its owner, and it becomes the active organization of the session. A person signs '
      + 'up at most three. The current documents of its audience must be in `acceptances`, or have been accepted before; '
      + 'else 422 with `missing`.',
  },
}).withTransactionHandler(({ body, caller, request, work }) => signUpOrganization(work, caller, body, request))

const readOperation = declareOperation({
  id: 'get_organization_v1',
  method: 'GET',
  path: '/v1/organizations/:id',
  access: { rule: 'keyOrMember', forbidsForeign: true },
  returns: { 200: Organization },
  problemCodes: ['ORG_CROSS_ACCESS_DENIED'],
  transport: { hasEtag: true },
  document: {
    tag,
    summary: 'Read an organization',
    description: 'For its keys and its members, whichever organization is active.',
    mcpName: 'get_organization',
  },
}).withReadHandler(({ caller, params, work }) => readOrganization(work, caller, params.id))

const updateOperation = declareOperation({
  id: 'update_organization_v1',
  method: 'PATCH',
  path: '/v1/organizations/:id',
  access: { rule: 'settings:update', forbidsForeign: true },
  body: OrganizationPatch,
  returns: { 200: Organization },
  problemCodes: ['ORG_CROSS_ACCESS_DENIED', 'ORG_PREFERRED_CURRENCY_SET', 'ORG_SLUG_TAKEN'],
  transport: { hasEtag: true, invalidBodyStatus: 400 },
  document: {
    tag,
    summary: 'Change the organization',
    description: 'The active one. `preferredCurrency` is chosen once.',
    mcpName: 'update_organization',
  },
}).withTransactionHandler(({ body, caller, params, work, precondition }) =>
  changeOrganization(work, caller, { id: params.id, patch: body, precondition }),
)

const deleteOperation = declareOperation({
  id: 'delete_organization_v1',
  method: 'DELETE',
  path: '/v1/organizations/:id',
  access: { rule: 'member', forbidsForeign: true },
  returns: { 204: null },
  problemCodes: ['ORG_CROSS_ACCESS_DENIED'],
  document: {
    tag,
    summary: 'Delete the organization',
    description:
      'The active one, by an owner who is signed in; never by a key. Keys and sessions end at once, jobs stop, and nothing '
      + 'new can be made. Public passports, credentials, status lists and the resolver go on answering. For 30 days an owner '
      + 'can restore it in the console, then personal data is erased.',
  },
}).withTransactionHandler(({ caller, params, work }) => deleteOrganization(work, caller, params.id))

/** The operations of organizations. */
export const organizationOperations: Operation[] = [
  listOperation,
  createOperation,
  readOperation,
  updateOperation,
  deleteOperation,
]

import { actions, type Action, type PermissionMap, type Resource, type Role } from '../../core/kernel/permission.ts'

type Cell = readonly Action[]

const read: Cell = ['read']
const none: Cell = []

/** What each role may do, as the specification prints it: a row a resource; owner, admin, editor, viewer. */
const roleGrid: { readonly [R in Resource]?: readonly [owner: Cell, admin: Cell, editor: Cell, viewer: Cell] } = {
  organization: [['read', 'update', 'delete'], ['read', 'update'], read, read],
  member: [actions, actions, read, none],
  invitation: [actions, actions, none, none],
  team: [actions, actions, read, none],
  application: [actions, actions, ['read', 'update'], read],
  dpp: [actions, actions, ['read', 'create', 'update'], read],
  loyalty: [actions, actions, ['read', 'create', 'update'], read],
  billing: [actions, actions, none, none],
  settings: [actions, actions, read, none],
  agentWallet: [actions, actions, read, none],
  apiKey: [actions, actions, none, none],
}

const columns: Record<Role, 0 | 1 | 2 | 3> = { owner: 0, admin: 1, editor: 2, viewer: 3 }

/** The permissions of a role by the specification, not by the code. */
export const readRoleGrid = (role: Role): PermissionMap =>
  Object.fromEntries(Object.entries(roleGrid).map(([resource, row]) => [resource, row[columns[role]]]))

/** Resources a permission can name. One list for roles, keys and the document. */
export const resources = [
  'organization', 'member', 'invitation', 'team', 'application', 'dpp', 'loyalty', 'billing', 'settings', 'agentWallet',
  'apiKey',
] as const
export const actions = ['read', 'create', 'update', 'delete'] as const
export const roles = ['owner', 'admin', 'editor', 'viewer'] as const

export type Resource = (typeof resources)[number]
export type Action = (typeof actions)[number]
export type Role = (typeof roles)[number]
export type Permission = `${Resource}:${Action}`
/** What a key carries: per resource the actions it may do; a missing resource means none. */
export type PermissionMap = { readonly [R in Resource]?: readonly Action[] }

const all = actions
const nothing = [] as const

/** What each role of a member may do. Only an owner deletes the organization. */
export const roleGrid: Record<Role, PermissionMap> = {
  owner: {
    organization: ['read', 'update', 'delete'], member: all, invitation: all, team: all, application: all, dpp: all,
    loyalty: all, billing: all, settings: all, agentWallet: all, apiKey: all,
  },
  admin: {
    organization: ['read', 'update'], member: all, invitation: all, team: all, application: all, dpp: all,
    loyalty: all, billing: all, settings: all, agentWallet: all, apiKey: all,
  },
  editor: {
    organization: ['read'], member: ['read'], invitation: nothing, team: ['read'], application: ['read', 'update'],
    dpp: ['read', 'create', 'update'], loyalty: ['read', 'create', 'update'], billing: nothing, settings: ['read'],
    agentWallet: ['read'], apiKey: nothing,
  },
  viewer: { organization: ['read'], application: ['read'], dpp: ['read'], loyalty: ['read'] },
}

/** Every pair there is, for a key that may do all. */
export const everyPermission: PermissionMap = Object.fromEntries(resources.map((resource) => [resource, [...actions]]))

/** Splits `dpp:create` into its pair. */
export function permissionPair(permission: Permission): { resource: Resource; action: Action } {
  const [resource, action] = permission.split(':') as [Resource, Action]
  return { resource, action }
}

/** Whether the map holds the pair. An absent resource grants nothing. */
export function grants(map: PermissionMap, permission: Permission): boolean {
  const { resource, action } = permissionPair(permission)
  return map[resource]?.includes(action) ?? false
}

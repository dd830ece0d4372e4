import { resources, setWords, type Resource } from './words.ts'

export { resources, type Resource }

export const actions = ['read', 'create', 'update', 'delete'] as const
export const roles = ['owner', 'admin', 'editor', 'viewer'] as const

export type Action = (typeof actions)[number]
export type Role = (typeof roles)[number]
export type Permission = `${Resource}:${Action}`
/** The permissions of a key: the allowed actions of each resource. A missing resource allows none. */
export type PermissionMap = { readonly [R in Resource]?: readonly Action[] }
/** What a member may do with one resource in each role. A missing role may do nothing. */
export type RoleActions = { readonly [R in Role]?: readonly Action[] }

type MutableMap = { [R in Resource]?: readonly Action[] }

const mapsByRole: Record<Role, MutableMap> = { owner: {}, admin: {}, editor: {}, viewer: {} }
const fullMap: MutableMap = {}

/** What a member may do in each role, once the areas have been composed. Before that, nothing. */
export const rolePermissions: Readonly<Record<Role, PermissionMap>> = mapsByRole

/** Every action on every resource, for a key without restrictions. */
export const allPermissions: PermissionMap = fullMap

/** Makes these the resources that permissions can name. Roles, keys and the OpenAPI document share them. */
export function setPermissions(actionsByResource: readonly (readonly [Resource, RoleActions])[]): void {
  setWords(
    resources,
    actionsByResource.map(([resource]) => resource),
  )
  for (const map of [fullMap, ...Object.values(mapsByRole)])
    for (const resource of Object.keys(map) as Resource[]) delete map[resource]
  for (const [resource, byRole] of actionsByResource) {
    fullMap[resource] = [...actions]
    for (const role of roles) {
      const allowed = byRole[role]
      if (allowed) mapsByRole[role][resource] = allowed
    }
  }
}

/** Splits `dpp:create` into resource and action. */
export function splitPermission(permission: Permission): { resource: Resource; action: Action } {
  const [resource, action] = permission.split(':') as [Resource, Action]
  return { resource, action }
}

/** Checks whether the map contains the permission. */
export function hasPermission(permissions: PermissionMap, permission: Permission): boolean {
  const { resource, action } = splitPermission(permission)
  return permissions[resource]?.includes(action) ?? false
}

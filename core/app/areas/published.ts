import type { Toolset } from '../../features/area.ts'
import { actions, type RoleActions } from '../../kernel/permission.ts'

/**
 * Words in the order in which clients have seen them before areas contributed them: in openapi.json, and in the text of
 * problems. What was published is not reordered; words of later areas follow.
 */
export const publishedOrder: Readonly<Record<'jobTypes' | 'resources', readonly string[]>> = {
  jobTypes: ['mint', 'claim', 'publish', 'certify', 'rotate', 'structure', 'import', 'migrate'],
  resources: [
    'organization',
    'member',
    'invitation',
    'team',
    'application',
    'dpp',
    'loyalty',
    'billing',
    'settings',
    'agentWallet',
    'apiKey',
  ],
}

/** Sorts words as they were published; later ones keep their order and follow. */
export function sortAsPublished<T>(
  list: keyof typeof publishedOrder,
  items: readonly T[],
  getWord: (item: T) => string,
): T[] {
  const order = publishedOrder[list]
  const getPosition = (item: T) => order.indexOf(getWord(item)) + 1 || order.length + 1
  return [...items].sort((a, b) => getPosition(a) - getPosition(b))
}

/** Permissions that keys can have already, although their area is still to come. An area that declares one replaces it. */
export const reservedPermissions: Readonly<Record<'agentWallet', RoleActions>> = {
  agentWallet: { owner: actions, admin: actions, editor: ['read'] },
}

/** Toolsets that clients can name already, although their area is still to come. An area that declares one replaces it. */
export const reservedToolsets: readonly Toolset[] = [
  { name: 'agents', topics: 'agent wallets and intents', paths: ['/v\\d+/(agent-wallets|multisig|x402)(/|$)'] },
  { name: 'invest', topics: 'funds, offers, holdings', paths: ['/v\\d+/invest(/|$)'] },
]

declare module '../../kernel/words.ts' {
  interface Resources {
    agentWallet: true
  }
}

import { type PassportAct, passportActs } from '../../../../features/dpp/index.ts'
import type { Permission } from '../../../../kernel/permission.ts'
import { may, type ActiveMember } from '../../console.ts'
import { formatAddress } from '../../frame/lists.ts'
import { getBoxName } from '../list/filters.ts'
import { getPassportAddress, passportsPath } from '../list/titles.ts'

/** The permission that each act needs, as its operation of the API declares it. */
const permissions: Readonly<Record<PassportAct, Permission>> = {
  edit: 'dpp:update',
  publish: 'dpp:update',
  certify: 'dpp:update',
  link: 'dpp:update',
  suspend: 'dpp:update',
  restore: 'dpp:update',
  revoke: 'dpp:update',
  archive: 'dpp:update',
  delete: 'dpp:delete',
}

/** Lists the acts that both the state of a passport and the role of a member allow. */
export const listAllowedActs = (member: ActiveMember, acts: ReadonlySet<PassportAct>): PassportAct[] =>
  passportActs.filter((act) => acts.has(act) && may(member, permissions[act]))

/** Returns the address of the page for an act on one passport. */
export function getActAddress(id: string, act: PassportAct): string {
  switch (act) {
    case 'publish':
    case 'certify':
    case 'archive':
      return formatAddress(`${passportsPath}/bulk`, { act, of: 'chosen', [getBoxName(id)]: 'on' })
    case 'suspend':
    case 'restore':
    case 'revoke':
      return `${getPassportAddress(id)}/status/${act}`
    default:
      return `${getPassportAddress(id)}/${act}`
  }
}

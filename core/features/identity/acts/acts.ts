import { userInfo } from 'node:os'
import type { Knex } from 'knex'
import type { TrailAct } from '../../../kernel/ports/trail.ts'
import type { Work } from '../../../kernel/work.ts'
import { appendToTrail, getOperatorName, type TrailActor } from '../../audit/index.ts'

/** The transaction of an act, and who does it in which request. */
type ActWork = Pick<Work, 'trx' | 'caller' | 'requestId' | 'address'>

/**
 * Records an act of a member or a key in the trail of an organization, in the transaction of the act. Until the commit
 * other acts of the organization wait, so it is called last.
 */
export async function recordAct(work: ActWork, organization: string, act: TrailAct): Promise<void> {
  await appendToTrail(work.trx, [{ ...act, organization, actor: await readActor(work) }])
}

async function readActor({ trx, caller, requestId, address }: ActWork): Promise<TrailActor> {
  if (caller.kind === 'member') {
    return { ...(await readMemberActor(trx, caller.user)), address, requestId }
  }
  if (caller.kind !== 'key') throw new Error('Only members and keys do what the audit trail has')
  const row = await trx('api_keys').where({ id: caller.id }).first<{ name: string | null } | undefined>('name')
  return { kind: 'key', id: caller.id, label: row?.name ?? null, address, requestId }
}

async function readMemberActor(trx: Knex, user: string): Promise<Pick<TrailActor, 'kind' | 'id' | 'label'>> {
  const row = await trx('users').where({ id: user }).first<{ email: string } | undefined>('email')
  return { kind: 'member', id: user, label: row?.email ?? null }
}

/** Records an act of the person at the command line, in the transaction of the act. */
export async function recordOperatorAct(trx: Knex, organization: string, act: TrailAct): Promise<void> {
  await appendToTrail(trx, [{ ...act, organization, actor: getOperator() }])
}

const getOperator = (): TrailActor => ({
  kind: 'operator',
  id: userInfo().username,
  label: getOperatorName(),
  address: null,
  requestId: null,
})

/** The part of a request that the trail has. */
export interface ActRequest {
  id: string
  address: string
}

/** What a person did with their sessions. Without a target it is about the person. */
type SessionAct = Omit<TrailAct, 'target'> & Partial<Pick<TrailAct, 'target'>>

/**
 * Records what a person did with their sessions in the trail of each organization that they belong to, because a session
 * can act for each of them. Buyers belong to none.
 * @param request null for an act of an operator
 */
export async function recordSessionAct(
  trx: Knex,
  user: string,
  act: SessionAct,
  request: ActRequest | null,
): Promise<void> {
  const memberships = await trx('members')
    .where({ user_id: user })
    .select<{ id: string; organization: string }[]>('id', 'organization_id as organization')
  if (memberships.length === 0) return
  const person = await readMemberActor(trx, user)
  const actor = request ? { ...person, address: request.address, requestId: request.id } : getOperator()
  await appendToTrail(
    trx,
    memberships.map(({ id, organization }) => ({
      target: { kind: 'member', id, label: person.label },
      ...act,
      organization,
      actor,
    })),
  )
}

import { expect } from 'chai'
import '../../../../core/app/registry.ts'
import type { AuthContext, Realm } from '../../../../core/features/identity/auth.ts'
import { createSendBudgets } from '../../../../core/features/identity/sign-in/code-sends.ts'

const members: Realm = { kind: 'member', application: null }
const buyers: Realm = { kind: 'endUser', application: 'shop' }
const limits = {
  sessionSecret: 'a secret',
  codeSendsPerAddressHour: 20,
  codeSendsPerApplicationHour: 300,
  codeSendsPerOrganizationHour: 4_000,
}

interface Send {
  realm?: Realm
  organization?: string | null
  address?: string
  to?: string
  settings?: object
}

function list({ realm = buyers, organization = 'org', address = '203.0.113.7', to = 'ada@a.b', settings }: Send = {}) {
  const parts = { settings: { ...limits, ...settings } } as unknown as AuthContext
  return createSendBudgets(parts, { realm, organization, address }, { channel: 'email', to })
}
/** The budgets of a send by the beginnings of their names. */
const listKinds = (send: Send) => list(send).map(({ name, max }) => `${name.split(':')[0]} ${max}`)

describe('Budgets of a code that is sent', () => {
  it('are those of recipient, asking address, application and organization', () => {
    expect(listKinds({})).to.deep.equal(['recipient 5', 'address 20', 'application 300', 'organization 4000'])
    expect(listKinds({ realm: members, organization: null })).to.deep.equal(['recipient 5', 'address 20'])
    expect(
      list()
        .slice(2)
        .map(({ name }) => name),
    ).to.deep.equal(['application:shop', 'organization:org'])
  })

  it('are left out where the installation sets none', () => {
    const settings = { codeSendsPerAddressHour: 0, codeSendsPerApplicationHour: 0, codeSendsPerOrganizationHour: 0 }
    expect(listKinds({ settings })).to.deep.equal(['recipient 5'])
  })

  it('have none of the asking address for loopback callers in development alone', () => {
    const development = { development: true }
    for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']) {
      expect(listKinds({ address, settings: development }), address).not.to.include('address 20')
      expect(listKinds({ address }), address).to.include('address 20')
    }
    for (const address of ['203.0.113.7', '10.0.0.1', 'unknown', ''])
      expect(listKinds({ address, settings: development }), address).to.include('address 20')
  })

  it('hide addresses, and are other ones in another realm, for another recipient or network', () => {
    const nameAt = (at: number, send: Send) => list(send)[at]?.name
    expect(JSON.stringify(list())).not.to.match(/ada|203\.0/)
    for (const [at, other] of [
      [0, { to: 'bob@a.b' }],
      [0, { realm: members }],
      [1, { realm: { ...buyers, application: 'other' } }],
      [1, { address: '203.0.113.8' }],
    ] as const)
      expect(nameAt(at, other), `${at}`).not.to.equal(nameAt(at, {}))
    expect(nameAt(1, { address: '2001:db8::1' })).to.equal(nameAt(1, { address: '2001:db8::2' }))
  })
})

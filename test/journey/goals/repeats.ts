import { expect } from 'chai'
import { createUniqueName } from '../../core/identity/people.ts'
import { getBody } from '../../core/dpp/passports/fixtures.ts'
import { buildProductPassport } from '../../support/world.ts'
import type { Goal } from './goal.ts'

/** Goal k: an answer gets lost, and the assistant repeats its request. */
export const lostAnswer: Goal = {
  letter: 'k',
  title: 'the same request twice after a lost answer',
  async reach({ shop, connect }) {
    const assistant = await connect()
    const name = createUniqueName('Once')
    const create = () => assistant.achieve('create an application', 'create_application', { name })
    assistant.loseNextAnswer()
    const lost = await create().then(
      () => null,
      (cause: unknown) => cause,
    )
    expect(lost).to.be.instanceOf(Error)
    const again = await create()
    expect(again.text).to.contain('again: true')
    const listIds = async () => {
      const { data } = getBody<{ data: { id: string; name: string }[] }>(await shop.api.get('/v1/applications'))
      return data.filter((one) => one.name === name).map(({ id }) => id)
    }
    expect(await listIds()).to.deep.equal([again.body['id']])
    // A second one on purpose is possible.
    const second = await assistant.achieve('create an application', 'create_application', { name, again: true })
    expect(await listIds()).to.have.members([again.body['id'], second.body['id']])
  },
}

/** Goal l: everything is found out without a tool that writes. */
export const readOnly: Goal = {
  letter: 'l',
  title: 'all of it read-only',
  async reach({ shop, connect }) {
    const { id } = await buildProductPassport(shop)
    const before = await shop.api.get(`/v1/dpp/passports/${id}`)
    const assistant = await connect({ readonly: true })
    const mine = { 'application.id': { eq: shop.application } }
    await assistant.achieve('list applications', 'list_applications', { fields: 'id,name' })
    const listed = await assistant.achieve('list passports', 'list_dpp_passports', {
      filters: mine,
      fields: 'id,status',
    })
    expect(listed.body['total']).to.equal(1)
    await assistant.achieve('which passports are not ready', 'list_dpp_readiness', { filters: mine })
    await assistant.achieve('history of a passport', 'get_dpp_passport_history', { id })
    for (const name of ['update_dpp_passport', 'publish_dpp_passports', 'delete_dpp_passport'])
      expect(assistant.toolNames.has(name), name).to.equal(false)
    await assertHidden(() => assistant.callTool('update_dpp_passport', { id, data: { changed: true } }))
    if (assistant.toolNames.has('call_operation')) {
      const args = { name: 'update_dpp_passport', arguments: { id, data: { changed: true } } }
      await assertHidden(() => assistant.callTool('call_operation', args))
    }
    const after = await shop.api.get(`/v1/dpp/passports/${id}`)
    expect(after.headers['etag']).to.equal(before.headers['etag'])
  },
}

/** Checks that a call is refused because the view hides the tool, and that the refusal says so. */
async function assertHidden(call: () => Promise<{ text: string; isError: boolean }>): Promise<void> {
  const text = await call().then(
    (outcome) => {
      expect(outcome.isError, outcome.text).to.equal(true)
      return outcome.text
    },
    (cause: unknown) => (cause instanceof Error ? cause.message : String(cause)),
  )
  expect(text).to.contain('readonly')
}

import { expect } from 'chai'
import { textOf } from '../support/bridge-client.ts'
import { fixtureBridge, jsonOf, problem, reply } from '../support/bridge-fixture.ts'
import { asker, askingRevisions, type Asker, type Person } from '../support/askers.ts'
import { askingDocument } from '../support/asking-document.ts'
import { modern, refusalOf, resultOf } from '../support/modern-client.ts'

const accept = (content: Record<string, unknown>) => ({ action: 'accept' as const, content: content as Record<string, string> })
const whole: Person = (_, time) => accept(time === 1 ? { email: 'ann@example.org', role: 'w' } : { days: 3, loud: true })

describe('an operation that needs what only the person can say', () => {
  const { api, bridge } = fixtureBridge()
  api.document = askingDocument()
  before(() => {
    api.on('POST /v1/guests', (_, response) => reply(response, 200, { invited: true }))
    api.on('POST /v1/areas', (_, response) => reply(response, 200, { chosen: true }))
    api.on('POST /v1/draft', (_, response) => reply(response, 200, { drafted: true }))
    api.on('POST /v1/shops/s-1/close', (_, response) => reply(response, 200, { closed: true }))
  })
  beforeEach(() => api.forget())

  const using = async <T>(revision: Parameters<typeof asker>[1], person: Person | null, work: (client: Asker) => Promise<T>) => {
    const client = await asker(bridge.url, revision, person)
    try {
      return await work(client)
    } finally {
      await client.close()
    }
  }

  for (const revision of askingRevisions) {
    describe(`in revision ${revision}`, () => {
      it('asks question after question, and sends the answers with the arguments', async () => {
        await using(revision, whole, async (client) => {
          const result = await client.call('invite_guest', { note: 'n' })
          expect(result.structuredContent).to.deep.equal({ invited: true })
          expect(client.shown.map(({ message }) => message)).to.deep.equal(['Who is invited?', 'For how long?'])
        })
        expect(api.seen).to.have.length(1)
        expect(api.last.url).to.equal('/v1/guests?loud=true')
        expect(jsonOf(api.last)).to.deep.equal({ note: 'n', email: 'ann@example.org', role: 'w', days: 3 })
      })

      it('shows forms in the words of the revision, with what is needed and the defaults', async () => {
        const { shown } = await using(revision, whole, async (client) => {
          await client.call('invite_guest', { note: 'n' })
          return client
        })
        const [who, how] = shown
        expect(who?.mode).to.equal(revision === '2025-06-18' ? undefined : 'form')
        expect(who?.requestedSchema.required).to.deep.equal(['email'])
        expect(who?.requestedSchema.properties['email']).to.deep.equal({ type: 'string', title: 'E-mail', format: 'email' })
        expect(who?.requestedSchema.properties['role']).to.deep.equal(
          revision === '2025-06-18'
            ? { type: 'string', enum: ['r', 'w'], enumNames: ['Reads', 'Writes'] }
            : { type: 'string', oneOf: [{ const: 'r', title: 'Reads' }, { const: 'w', title: 'Writes' }] },
        )
        expect(how?.requestedSchema.properties).to.deep.equal({
          days: { type: 'integer', minimum: 1, maximum: 30, default: 7 },
          loud: { type: 'boolean', default: false },
        })
      })

      it('sends nothing when the person declines the first or the second question', async () => {
        for (const at of [1, 2]) {
          const person: Person = (shown, time) => (time === at ? { action: 'decline' } : whole(shown, time))
          const result = await using(revision, person, (client) => client.call('invite_guest', { note: 'n' }))
          expect(result.isError).to.equal(true)
          expect(textOf(result)).to.contain('The user declined. Nothing was sent.')
        }
        expect(api.seen).to.deep.equal([])
      })

      it('asks again for an answer that does not fit, and says why', async () => {
        const person: Person = (shown, time) => (time === 1 ? accept({ email: 'nobody', role: 'r' }) : whole(shown, time - 1))
        await using(revision, person, async (client) => {
          const { structuredContent } = await client.call('invite_guest', { note: 'n' })
          expect(structuredContent).to.deep.equal({ invited: true })
          expect(client.shown).to.have.length(3)
          expect(client.shown[1]?.message).to.equal('Who is invited? (The last answer does not fit: email must match format "email".)')
        })
      })

      it('asks nobody about arguments that are wrong', async () => {
        await using(revision, whole, async (client) => {
          const wrong = await client.call('invite_guest', { note: 7 })
          expect(textOf(wrong)).to.contain('note').and.to.contain('Nothing was sent')
          const told = await client.call('invite_guest', { note: 'n', email: 'model@example.org' })
          expect(textOf(told)).to.contain('email: is not known here')
          expect(client.shown).to.deep.equal([])
        })
        expect(api.seen).to.deep.equal([])
      })

      it('asks for what is missing first and for consent last, which names what was answered', async () => {
        const person: Person = (_, time) => accept(time === 1 ? { name: 'Corner' } : { confirm: true })
        await using(revision, person, async (client) => {
          await client.call('close_shop', { id: 's-1' })
          expect(client.shown.map(({ message }) => message)).to.deep.equal([
            'What is its name?',
            'Close a shop: id "s-1", name "Corner". This cannot be undone.',
          ])
        })
        expect(jsonOf(api.last)).to.deep.equal({ name: 'Corner' })
      })

      it('hands on what the API says of the answers', async () => {
        api.on('POST /v1/guests', (_, response) => problem(response, 409, { code: 'GUEST_EXISTS', detail: 'Ann is here.' }))
        const result = await using(revision, whole, (client) => client.call('invite_guest', { note: 'n' }))
        expect(textOf(result)).to.contain('409 GUEST_EXISTS: Ann is here.')
        api.on('POST /v1/guests', (_, response) => reply(response, 200, { invited: true }))
      })

      it('shows several choices where the revision has words for them', async () => {
        const person: Person = () => accept({ areas: ['south', 'north'] } as never)
        const { result, shown } = await using(revision, person, async (client) => ({ result: await client.call('choose_areas'), shown: client.shown }))
        if (revision === '2025-06-18') {
          expect(textOf(result)).to.equal('The client could not ask the user. Nothing was sent.')
          expect(api.seen).to.deep.equal([])
        } else {
          expect(shown[0]?.requestedSchema.properties['areas']).to.deep.equal({ type: 'array', minItems: 1, items: { type: 'string', enum: ['north', 'south'] } })
          expect(jsonOf(api.last)).to.deep.equal({ areas: ['south', 'north'] })
        }
      })
    })
  }

  it('is refused for clients that cannot ask, in the words of the revision', async () => {
    for (const revision of ['2025-03-26', '2025-06-18', '2025-11-25'] as const) {
      const result = await using(revision, null, (client) => client.call('invite_guest', { note: 'n' }))
      expect(result.isError, revision).to.equal(true)
      expect(textOf(result)).to.equal('This needs a client that declares elicitation. Nothing was sent.')
    }
    for (const capabilities of [{}, { sampling: {} }, { elicitation: { url: {} } }]) {
      const refused = refusalOf(await modern(bridge.url, 'tools/call', { name: 'invite_guest', arguments: { note: 'n' } }, { capabilities }))
      expect(refused).to.deep.include({ status: 400, code: -32021, data: { requiredCapabilities: { elicitation: { form: {} } } } })
    }
    expect(api.seen).to.deep.equal([])
  })

  it('is not shown with the members that people are asked for', async () => {
    const answer = await modern(bridge.url, 'tools/list')
    const { tools } = resultOf<{ tools: { name: string; inputSchema: Record<string, unknown> }[] }>(answer)
    const entry = tools.find(({ name }) => name === 'invite_guest')
    expect(entry?.inputSchema['properties']).to.have.all.keys('note')
    expect(entry?.inputSchema['required']).to.deep.equal(['note'])
  })

  it('runs only for clients that declare what it requires', async () => {
    const call = { name: 'draft_text', arguments: {} }
    const refused = refusalOf(await modern(bridge.url, 'tools/call', call, { capabilities: { elicitation: {} } }))
    expect(refused).to.deep.include({ status: 400, id: 1, code: -32021, data: { requiredCapabilities: { sampling: {} } } })
    const result = await using('2025-11-25', whole, (client) => client.call('draft_text'))
    expect(textOf(result)).to.equal('This needs a client that declares sampling. Nothing was sent.')
    expect(api.seen).to.deep.equal([])
    const taken = await modern(bridge.url, 'tools/call', call, { capabilities: { sampling: {} } })
    expect(resultOf(taken)).to.deep.include({ structuredContent: { drafted: true } })
  })
})

import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { expect } from 'chai'
import {
  callMcpTool,
  connectClient,
  getResultText,
  type ElicitationHandler,
} from '../../support/bridge/bridge-client.ts'
import { createApiClient as rest, type Client as Rest } from '../../support/client.ts'
import { platform } from '../../support/platform.ts'
import { connectAskingClient, type ShownQuestion } from '../../support/bridge/asking-clients.ts'
import { sendModernRequest, parseResult } from '../../support/bridge/modern-client.ts'
import { getOperator } from '../../core/identity/people.ts'
import { insertBranches } from '../../support/rows/applications/branches.ts'
import { buildKey, buildOrganization, type Tenant } from '../../support/world.ts'

type LookupResult = Record<string, unknown> & { candidates: { applicationId: string; name: string }[] }

const choices = ({ requestedSchema }: Parameters<ElicitationHandler>[0]) =>
  requestedSchema.properties['choice'] as unknown as {
    oneOf?: { const: string; title: string }[]
    enum?: string[]
    enumNames?: string[]
  }

describe('Tool lookup_application_id', () => {
  let tenant: Tenant
  let api: Rest
  let mute: Client
  const ids = new Map<string, string>()

  before(async () => {
    tenant = await buildOrganization()
    api = rest(tenant.key)
    for (const name of [
      'Aurora',
      'Aurora Bikes',
      'aurora kids',
      'Borealis',
      '100% Wool',
      '100_Wool',
      `D'Arc "Ltd"`,
      'STRASSE',
      'ΟΔΟΣ ΝΕΑ',
      '東京 Store',
    ]) {
      const { body } = await api.post('/v1/applications', { name })
      ids.set(name, String(body['id']))
    }
    mute = await connectClient(platform.bridge, { 'x-api-key': tenant.key })
  })
  after(() => mute.close())

  const lookUp = async (name: string, client = mute) => {
    const result = await callMcpTool(client, 'lookup_application_id', { name })
    return { result, found: result.structuredContent as LookupResult, text: getResultText(result) }
  }
  const answered = async (name: string, answering: ElicitationHandler, revision?: string) => {
    const questions: Parameters<ElicitationHandler>[0][] = []
    const remember: ElicitationHandler = (params) => {
      questions.push(params)
      return answering(params)
    }
    const options = { answerQuestion: remember, ...(revision !== undefined && { revision }) }
    const client = await connectClient(platform.bridge, { 'x-api-key': tenant.key }, options)
    const answer = await lookUp(name, client)
    await client.close()
    return { ...answer, questions }
  }

  it('is listed as a tool that only reads, in its place by name', async () => {
    const { tools } = await mute.listTools()
    const names = tools.map(({ name }) => name)
    expect(names).to.deep.equal([...names].sort())
    const entry = tools.find(({ name }) => name === 'lookup_application_id')
    expect(entry?.annotations).to.include({ readOnlyHint: true, destructiveHint: false })
    expect(entry?.inputSchema.required).to.deep.equal(['name'])
  })

  it('finds the one with exactly this name, in any case, though others contain it', async () => {
    for (const name of ['Aurora', 'AURORA', '  aurora ']) {
      expect((await lookUp(name)).found, name).to.deep.equal({
        applicationId: ids.get('Aurora'),
        name: 'Aurora',
        match: 'exact',
      })
    }
  })

  it('finds the only one that contains a part', async () => {
    const { found, text } = await lookUp('BOREAL')
    expect(found).to.deep.equal({ applicationId: ids.get('Borealis'), name: 'Borealis', match: 'partial' })
    expect(text).to.contain(String(ids.get('Borealis')))
  })

  it('takes signs as they are and letters of any script in any case', async () => {
    for (const [wanted, name] of [
      ['100%', '100% Wool'],
      ['0_w', '100_Wool'],
      [`d'arc "`, `D'Arc "Ltd"`],
      ['straße', 'STRASSE'],
      ['οδος', 'ΟΔΟΣ ΝΕΑ'],
      ['οδοσ ν', 'ΟΔΟΣ ΝΕΑ'],
      ['東京', '東京 Store'],
    ] as const)
      expect((await lookUp(wanted)).found['applicationId'], wanted).to.equal(ids.get(name))
  })

  it('lists the candidates to a client that cannot ask, with the instruction to ask', async () => {
    const { result, found, text } = await lookUp('auror')
    expect(result.isError ?? false).to.equal(false)
    expect(found).to.include({ match: 'several', total: 3 }).and.not.to.have.property('applicationId')
    expect(found.candidates.map(({ name }) => name)).to.have.members(['Aurora', 'Aurora Bikes', 'aurora kids'])
    expect(text).to.contain('Ask the user which one is meant')
  })

  it('asks by a titled choice, and answers what was chosen', async () => {
    const chosen = String(ids.get('Aurora Bikes'))
    const { found, questions } = await answered('auror', () => ({ action: 'accept', content: { choice: chosen } }))
    expect(found).to.deep.equal({ applicationId: chosen, name: 'Aurora Bikes', match: 'chosen' })
    expect(questions).to.have.length(1)
    expect(questions[0]).to.include({ mode: 'form' })
    const { oneOf = [] } = choices(questions[0] as (typeof questions)[0])
    expect(oneOf.map((choice) => choice.const)).to.have.members(
      ['Aurora', 'Aurora Bikes', 'aurora kids'].map((name) => ids.get(name)),
    )
    expect(oneOf.find((choice) => choice.const === chosen)?.title).to.match(/^Aurora Bikes \(.+\)$/)
  })

  it('answers what its output schema says, whatever was found', async () => {
    const full = await connectClient(`${platform.bridge}?schemas=full`, { 'x-api-key': tenant.key })
    const { tools } = await full.listTools()
    expect(tools.find(({ name }) => name === 'lookup_application_id')).to.have.property('outputSchema')
    // The reference client refuses structured content that does not match.
    for (const [name, match] of [
      ['Aurora', 'exact'],
      ['boreal', 'partial'],
      ['auror', 'several'],
      ['Zzz', 'none'],
    ]) {
      expect((await lookUp(String(name), full)).found, name).to.include({ match })
    }
    await full.close()
  })

  it('asks in revision 2025-06-18 by enum and enumNames', async () => {
    const chosen = String(ids.get('Aurora'))
    const { found, questions } = await answered(
      'uror',
      () => ({ action: 'accept', content: { choice: chosen } }),
      '2025-06-18',
    )
    expect(found).to.include({ applicationId: chosen, match: 'chosen' })
    expect(questions[0]).not.to.have.property('mode')
    const { oneOf, enum: values, enumNames } = choices(questions[0] as (typeof questions)[0])
    expect(oneOf).to.equal(undefined)
    expect(values?.indexOf(chosen)).to.equal(enumNames?.findIndex((name) => name.startsWith('Aurora (')))
  })

  it('asks nobody in revision 2025-03-26, which has no elicitation', async () => {
    const { questions, text } = await answered('auror', () => ({ action: 'cancel' }), '2025-03-26')
    expect(questions).to.deep.equal([])
    expect(text).to.contain('"match":"several"').and.to.contain('Ask the user which one is meant')
  })

  it('says that the user declined, or gave no answer, and chooses nothing', async () => {
    for (const [action, match, words] of [
      ['decline', 'declined', 'declined to say'],
      ['cancel', 'cancelled', 'gave no answer'],
    ] as const) {
      const { found, text } = await answered('auror', () => ({ action }))
      expect(found).to.include({ match }).and.not.to.have.property('applicationId')
      expect(text).to.contain(words)
    }
  })

  it('takes no answer that was not offered, and lists the candidates where asking fails', async () => {
    const foreign = await answered('auror', () => ({ action: 'accept', content: { choice: platform.application } }))
    expect(foreign.found).to.include({ match: 'several' }).and.not.to.have.property('applicationId')
    const broken = await answered('auror', () => Promise.reject(new Error('no window')))
    expect(broken.found).to.include({ match: 'several', total: 3 })
  })

  it('asks in revision 2026-07-28 as well, and answers what was chosen', async () => {
    const chosen = String(ids.get('Aurora Bikes'))
    const shown: ShownQuestion[] = []
    const client = await connectAskingClient(
      platform.bridge,
      '2026-07-28',
      (form) => {
        shown.push(form)
        return { action: 'accept', content: { choice: chosen } }
      },
      { 'x-api-key': tenant.key },
    )
    const { structuredContent } = await client.call('lookup_application_id', { name: 'auror' })
    await client.close()
    expect(structuredContent).to.deep.equal({ applicationId: chosen, name: 'Aurora Bikes', match: 'chosen' })
    expect(shown).to.have.length(1)
    const oneOf = shown[0]?.requestedSchema.properties['choice']?.['oneOf'] as { const: string }[]
    expect(oneOf.map((choice) => choice.const)).to.have.members(
      ['Aurora', 'Aurora Bikes', 'aurora kids'].map((name) => ids.get(name)),
    )
  })

  it('says in revision 2026-07-28 that the user declined or gave no answer, and lists the candidates to a client that cannot ask', async () => {
    for (const [person, match, words] of [
      [() => ({ action: 'decline' as const }), 'declined', 'declined to say'],
      [() => ({ action: 'cancel' as const }), 'cancelled', 'gave no answer'],
      [null, 'several', 'Ask the user which one is meant'],
    ] as const) {
      const client = await connectAskingClient(platform.bridge, '2026-07-28', person, { 'x-api-key': tenant.key })
      const result = await client.call('lookup_application_id', { name: 'auror' })
      await client.close()
      expect(result.structuredContent, match).to.include({ match }).and.not.to.have.property('applicationId')
      expect(getResultText(result)).to.contain(words)
    }
  })

  it('asks again in revision 2026-07-28 for a choice that was not offered', async () => {
    const ask = (more: object) =>
      sendModernRequest(
        platform.bridge,
        'tools/call',
        { name: 'lookup_application_id', arguments: { name: 'auror' }, ...more },
        { capabilities: { elicitation: {} }, headers: { 'x-api-key': tenant.key } },
      )
    const first = parseResult(await ask({}))
    const inputResponses = { choice: { action: 'accept', content: { choice: platform.application } } }
    const again = parseResult(await ask({ inputResponses, requestState: first['requestState'] }))
    expect(again).to.include({ resultType: 'input_required' })
    expect(JSON.stringify(again)).to.contain('choice must be one of those offered')
  })

  it('is given up with the call, while the session goes on', async () => {
    let resolveQuestion = () => {}
    const questionPromise = new Promise<void>((resolve) => {
      resolveQuestion = resolve
    })
    const client = await connectClient(
      platform.bridge,
      { 'x-api-key': tenant.key },
      {
        answerQuestion: () => {
          resolveQuestion()
          return new Promise(() => {})
        },
      },
    )
    const leaving = new AbortController()
    const params = { name: 'lookup_application_id', arguments: { name: 'auror' } }
    const given = client.callTool(params, undefined, { signal: leaving.signal }).catch((cause: unknown) => cause)
    await questionPromise
    leaving.abort()
    expect(await given).to.be.instanceOf(Error)
    expect((await lookUp('Borealis', client)).found).to.include({ match: 'exact' })
    await client.close()
  })

  it('names the nearest where none matches', async () => {
    const { found, text } = await lookUp('Auroar Bike')
    expect(found).to.include({ match: 'none', total: 0 }).and.not.to.have.property('applicationId')
    expect(found.candidates[0]?.name).to.equal('Aurora Bikes')
    expect(text).to.contain('The nearest names are "Aurora Bikes"')
  })

  it("knows the applications of the caller's organization only", async () => {
    const other = await buildOrganization()
    const theirs = await connectClient(platform.bridge, { authorization: `Bearer ${other.key}` })
    expect((await lookUp('Aurora', theirs)).found).to.include({ match: 'none' })
    expect(JSON.stringify(await lookUp('Aurora', theirs))).not.to.contain(String(ids.get('Aurora')))
    expect((await lookUp('Shop', theirs)).found).to.include({ applicationId: other.application, match: 'partial' })
    await theirs.close()
  })

  it('answers 401 and 403 as other tools do', async () => {
    const { key } = await buildKey(tenant.organization, { dpp: ['read'] })
    for (const [headers, head] of [
      [{ 'x-api-key': key }, /^403 AUTH_INSUFFICIENT_PERMISSIONS: .*\n.*application, read/],
      [{ 'x-api-key': 'tsr_test_wrong' }, /^401 AUTH_INVALID_API_KEY: /],
      [{}, /^401 AUTH_UNAUTHENTICATED: /],
    ] as const) {
      const client = await connectClient(platform.bridge, headers)
      const { result, text } = await lookUp('Aurora', client)
      expect(result.isError).to.equal(true)
      expect(text).to.match(head)
      await client.close()
    }
  })

  it('names a wrong argument in its result', async () => {
    for (const args of [
      {},
      { name: '' },
      { name: ' ' },
      { name: 7 },
      { name: 'x'.repeat(201) },
      { name: 'Aurora', id: 1 },
    ]) {
      const result = await callMcpTool(mute, 'lookup_application_id', args)
      expect(result.isError, JSON.stringify(args)).to.equal(true)
      expect(getResultText(result))
        .to.match(/^4(00|22) .*\n- (name|id): /)
        .and.to.contain('Nothing was sent')
    }
  })
})

describe('Tool lookup_application_id among 1,200 applications', () => {
  let tenant: Tenant
  let client: Client
  const questions: Parameters<ElicitationHandler>[0][] = []

  before(async () => {
    tenant = await buildOrganization()
    const { db } = await getOperator()
    await insertBranches(db, { organization: tenant.organization, count: 1199 })
    client = await connectClient(
      platform.bridge,
      { 'x-api-key': tenant.key },
      {
        answerQuestion: (params) => {
          questions.push(params)
          return { action: 'accept', content: { choice: choices(params).oneOf?.[19]?.const ?? '' } }
        },
      },
    )
  })
  after(() => client.close())

  it('finds any of them, and only the exact one', async () => {
    for (const name of ['branch 1', 'BRANCH 777', 'Branch 1199']) {
      const { structuredContent } = await callMcpTool(client, 'lookup_application_id', { name })
      expect(structuredContent).to.include({ match: 'exact' })
    }
    expect(questions).to.deep.equal([])
  })

  it('gives at most 20 to choose from, and says that there are more', async () => {
    const { structuredContent } = await callMcpTool(client, 'lookup_application_id', { name: 'branch' })
    expect(structuredContent).to.include({ match: 'chosen' })
    expect(choices(questions[0] as (typeof questions)[0]).oneOf).to.have.length(20)
    expect(questions[0]?.message).to.contain('1199 applications match').and.to.contain('The first 20 are listed')
  })
})

import { expect } from 'chai'
import { askQuestions, type ElicitationAnswer, type ElicitationQuestion } from '../../../tools/own/elicitation.ts'
import { readCatalogue } from '../../../tools/catalogue/catalogue.ts'
import { createConfirmationQuestion } from '../../../tools/own/confirmation.ts'
import { createLookupTool } from '../../../tools/own/lookup-application-id.ts'
import { createValidatorCompiler } from '../../../tools/catalogue/validators.ts'
import { createBridgeDocument } from '../../support/bridge/bridge-document.ts'

type Json = Record<string, unknown>

const address = 'http://127.0.0.1:3333'

describe('x-mcp-confirm: the question that confirms a call', () => {
  const { operation, plan } = readCatalogue(createBridgeDocument(), address).tools.get('update_widget') ?? {}
  const about = { title: operation?.title ?? '', description: operation?.description ?? '' }
  const ask = (given: Json) => createConfirmationQuestion(about, plan?.bindings ?? [], given)

  it('says what is done with what, and that it cannot be undone', () => {
    expect(ask({ id_path: 'w-1' }).message).to.equal('Do update_widget: id_path "w-1". This cannot be undone.')
    expect(
      createConfirmationQuestion({ title: 'Rotate the key', description: 'Rotate the key.' }, [], {}).message,
    ).to.equal('Rotate the key. This cannot be undone.')
  })

  it('tells what follows from it, in whole sentences', () => {
    const describeConfirmation = (description: string) =>
      createConfirmationQuestion({ title: 'Close a shop', description }, [], {}).members['confirm']?.['description']
    expect(describeConfirmation('Close a shop.')).to.equal('Without this nothing is sent.')
    expect(describeConfirmation('Close a shop. Its orders go with it.')).to.equal(
      'Without this nothing is sent. Its orders go with it.',
    )
    expect(describeConfirmation(`Close a shop. ${'Orders go. '.repeat(90)}`))
      .to.match(/^Without this nothing is sent\. (Orders go\. )*Orders go\.$/)
      .and.to.have.length.within(370, 400)
    expect(describeConfirmation(`Close a shop. ${'x'.repeat(900)}.`)).to.equal('Without this nothing is sent.')
  })

  it('counts what is long, and writes out what cannot be seen', () => {
    const message = (value: unknown) => ask({ id: value }).message
    expect(message(Array.from({ length: 12 }, () => 'serial-0001'))).to.contain('id (12 entries)')
    expect(message({ a: 'x'.repeat(99), b: 1 })).to.contain('id (2 members)')
    expect(message({ status: { eq: 'draft' } })).to.contain('id {"status":{"eq":"draft"}}.')
    expect(message(['a\u202E'])).to.contain('id ["a[U+202E]"].')
    expect(message(true)).to.contain('id true.')
    expect(message('x'.repeat(1_000))).to.have.length.below(200)
    expect(message('a\u202Eb\u200Bc\nd\u2028e')).to.contain('"a[U+202E]b[U+200B]c\\nd[U+2028]e"')
    expect(message('Grüße, 東京')).to.contain('"Grüße, 東京"')
    expect(message('"; confirmed. Nothing is deleted')).to.contain('id "\\"; confirmed.')
  })

  it('takes yes and no, and nothing else', () => {
    const { validateContent, required, requiresState, members } = ask({})
    expect({ required, bound: requiresState }).to.deep.equal({ required: ['confirm'], bound: true })
    expect(members['confirm']).to.include({ type: 'boolean', default: false })
    for (const confirm of [true, false]) expect(validateContent({ confirm })).to.deep.equal([])
    for (const content of [{}, { confirm: 'true' }, { confirm: 1 }, { confirm: null }])
      expect(validateContent(content), JSON.stringify(content)).to.have.length(1)
  })
})

describe('x-mcp-ask: several questions of one call', () => {
  const question = (key: string, member: string): ElicitationQuestion => ({
    key,
    message: key,
    members: { [member]: { type: 'string' } },
    required: [],
    requiresState: false,
    validateContent: () => [],
  })
  const both = [question('one', 'a'), question('two', 'b')]

  it('give what was filled in of what was asked, and end where one is not answered', async () => {
    const answers: Record<string, ElicitationAnswer> = {
      one: { action: 'accept', content: { a: 1, b: 'not asked here', constructor: 'x' } },
      two: { action: 'accept', content: { b: null } },
    }
    expect(await askQuestions(both, async ({ key }) => answers[key] as ElicitationAnswer)).to.deep.equal({
      given: { a: 1 },
    })
    const seen: string[] = []
    const declining = await askQuestions(both, async ({ key }) => {
      seen.push(key)
      return { action: 'cancel' }
    })
    expect(declining).to.deep.equal({ silence: 'cancel' })
    expect(seen).to.deep.equal(['one'])
  })
})

describe('x-mcp-ask: the choice among applications', () => {
  it('shows names in which nothing is hidden, and answers them as they are', async () => {
    const name = 'Shop\u202Egpj\u200B'
    const data = [1, 2].map((at) => ({ id: `0190a1b2-0000-7000-8000-00000000000${at}`, name, slug: `shop-${at}` }))
    const tool = createLookupTool('/v1/applications', createValidatorCompiler())
    const shown: ElicitationQuestion[] = []
    const result = await tool.callTool(
      { name: 'shop' },
      async () => ({ data, total: 2 }),
      async (question) => {
        shown.push(question)
        return { action: 'decline' }
      },
    )
    const titles = (shown[0]?.members['choice']?.['oneOf'] as { title: string }[]).map(({ title }) => title)
    expect(titles).to.deep.equal(['Shop[U+202E]gpj[U+200B] (shop-1)', 'Shop[U+202E]gpj[U+200B] (shop-2)'])
    expect(JSON.stringify(result.content)).not.to.match(/\u202E|\u200B/u)
    expect((result.structuredContent as { candidates: Json[] }).candidates[0]?.['name']).to.equal(name)
  })
})

import { expect } from 'chai'
import { getResultText } from '../../support/bridge/bridge-client.ts'
import { useFixtureBridge, sendReply } from '../../support/bridge/bridge-fixture.ts'
import { connectAskingClient, askingRevisions, type PersonResponder } from '../../support/bridge/asking-clients.ts'
import { sendModernRequest, parseError, parseResult } from '../../support/bridge/modern-client.ts'
import { PosterApi } from '../../support/bridge/poster-api.ts'

const yes: PersonResponder = () => ({ action: 'accept', content: { confirm: true } })

describe('x-mcp-preview: the question to a person', () => {
  const { api, bridge } = useFixtureBridge()
  const posters = new PosterApi(api)

  const callAs = async (
    revision: (typeof askingRevisions)[number],
    person: PersonResponder,
    name: string,
    args: Record<string, unknown>,
  ) => {
    const client = await connectAskingClient(bridge.url, revision, person)
    try {
      return { result: await client.call(name, args), shown: client.shownQuestions.map(({ message }) => message) }
    } finally {
      await client.close()
    }
  }
  const publish = (revision: (typeof askingRevisions)[number], person: PersonResponder, args = {}) =>
    callAs(revision, person, 'publish_posters', { filters: [], ...args })

  it('is announced in the instructions of the server, as dry runs are', async () => {
    const { instructions } = parseResult(await sendModernRequest(bridge.url, 'server/discover'))
    expect(instructions).to.contain('dryRun: true only answers what a call would do.')
    expect(instructions).to.contain('show the user the preview; once they agree, call again with confirm.')
  })

  for (const revision of askingRevisions) {
    describe(`in revision ${revision}`, () => {
      it('shows how many, the first ten by name, what stays and why, and the warnings', async () => {
        posters.reset('Sun\u202Egpj', ...Array.from({ length: 11 }, (_, at) => `Poster ${at + 2}`), 'Old')
        const old = posters.posters.at(-1)
        if (old) old.isDraft = false
        posters.warnings = ['It costs 12 credits']
        const { result, shown } = await publish(revision, yes, { quiet: true })
        const names = Array.from({ length: 9 }, (_, at) => `"Poster ${at + 2}"`).join(', ')
        expect(shown).to.deep.equal([
          [
            'Publish posters: quiet true.',
            '12 of 13 would change.',
            `The first: "Sun[U+202E]gpj", ${names}.`,
            'Not done for 1: They are published.',
            'Warning: It costs 12 credits.',
            'This cannot be undone.',
          ].join('\n'),
        ])
        expect(result.structuredContent).to.deep.equal({ done: 1 })
        expect(posters.sent.map(({ url }) => url)).to.deep.equal(['/v1/posters/publish?filters=%5B%5D'])
      })

      it('shows names and no ids where the call names one thing', async () => {
        posters.reset('Moon')
        const { shown } = await callAs(revision, yes, 'burn_poster', { id: 'p-1' })
        expect(shown).to.deep.equal(['Burn a poster.\n1 would change.\nThe first: "Moon".\nThis cannot be undone.'])
        expect(posters.acts).to.deep.equal(['burn Moon'])
      })

      it('sends nothing when the person declines', async () => {
        posters.reset('Moon')
        const { result } = await publish(revision, () => ({ action: 'decline' }))
        expect(result._meta).to.include({ elicitation: 'declined' })
        expect(posters.sent).to.deep.equal([])
      })

      it('asks again when something has changed since the person was asked', async () => {
        posters.reset('Moon')
        const { result, shown } = await publish(revision, (_, attempt) => {
          if (attempt === 1) posters.addDraft('Star')
          return { action: 'accept', content: { confirm: true } }
        })
        expect(shown).to.have.length(2)
        expect(shown[0]).to.contain('1 would change.\nThe first: "Moon".')
        expect(shown[1])
          .to.match(/^This has changed since you were asked\. /)
          .and.to.contain('2 would change.\nThe first: "Moon", "Star".')
        expect(result.structuredContent).to.deep.equal({ done: 1 })
        expect(posters.acts).to.deep.equal(['publish Moon, Star'])
      })

      it('asks nobody where nothing would change, or where the dry run is refused', async () => {
        posters.reset()
        const empty = await publish(revision, yes)
        expect(empty.shown).to.deep.equal([])
        expect(empty.result.isError ?? false).to.equal(false)
        expect(getResultText(empty.result)).to.equal('Nothing would change: nothing matches.\nNothing was sent.')
        expect(empty.result.structuredContent).to.have.all.keys('preview')
        posters.reset('Moon')
        const missing = await callAs(revision, yes, 'burn_poster', { id: 'p-2' })
        expect(missing.shown).to.deep.equal([])
        expect(getResultText(missing.result)).to.contain('404 NOT_FOUND: There is no such poster.')
        expect(posters.sent).to.deep.equal([])
      })

      it('answers dryRun: true at once', async () => {
        posters.reset('Moon')
        const { result, shown } = await publish(revision, yes, { dryRun: true })
        expect(shown).to.deep.equal([])
        expect(result.structuredContent).to.include({ matched: 1, willChange: 1 })
        expect(posters.sent).to.deep.equal([])
      })

      it('does each confirmed call, also where the arguments are the same', async () => {
        posters.reset('Moon')
        await publish(revision, yes)
        posters.addDraft('Star')
        await publish(revision, yes)
        expect(posters.acts).to.deep.equal(['publish Moon', 'publish Star'])
      })
    })
  }

  it('ends without a call where everything keeps changing', async () => {
    posters.reset('Moon')
    const { result, shown } = await publish('2025-11-25', (_, attempt) => {
      posters.addDraft(`Star ${attempt}`)
      return { action: 'accept', content: { confirm: true } }
    })
    expect(shown).to.have.length(3)
    expect(getResultText(result)).to.contain('409 CONFIRM_CHANGED').and.to.contain('Nothing was sent now.')
    expect(posters.sent).to.deep.equal([])
  })

  it('sends nothing where the API does not say what would happen', async () => {
    api.setHandler('POST /v1/posters/p-9/status', (_, response) => sendReply(response, 200, { matched: 'some' }))
    posters.reset('Moon')
    const { result, shown } = await callAs('2025-11-25', yes, 'set_poster_status', { id: 'p-9', status: 'gone' })
    expect(shown).to.deep.equal([])
    expect(getResultText(result)).to.contain('did not say what the call would do, so nothing was sent')
    expect(posters.sent).to.deep.equal([])
  })

  it('names the arguments where a dry run that no preview is declared for says something else', async () => {
    api.setHandler('POST /v1/posters/p-9/burn', (_, response) => sendReply(response, 200, { matched: 'some' }))
    posters.reset('Moon')
    for (const revision of askingRevisions) {
      const { shown } = await callAs(revision, yes, 'burn_poster', { id: 'p-9' })
      expect(shown).to.deep.equal(['Burn a poster: id "p-9". This cannot be undone.'])
    }
    expect(posters.sent).to.have.length(askingRevisions.length)
  })

  it('counts an answer of the newest revision once, and only for what was shown', async () => {
    posters.reset('Moon')
    const call = (more: object = {}) =>
      sendModernRequest(
        bridge.url,
        'tools/call',
        { name: 'publish_posters', arguments: { filters: [] }, ...more },
        { capabilities: { elicitation: {} } },
      )
    const inputResponses = { confirm: { action: 'accept', content: { confirm: true } } }
    const { requestState: stale } = parseResult<{ requestState: string }>(await call())
    posters.addDraft('Star')
    const anew = parseResult<{ resultType: string; requestState: string }>(
      await call({ inputResponses, requestState: stale }),
    )
    expect(anew.resultType).to.equal('input_required')
    expect(posters.sent).to.deep.equal([])
    const done = await call({ inputResponses, requestState: anew.requestState })
    expect(parseResult(done)).to.include({ resultType: 'complete' })
    posters.reset('Moon', 'Star')
    const again = parseError(await call({ inputResponses, requestState: anew.requestState }))
    expect(again.message).to.contain('was used before')
    expect(posters.sent).to.deep.equal([])
  })
})

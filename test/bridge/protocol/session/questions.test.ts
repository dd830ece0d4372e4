import { expect } from 'chai'
import { PendingElicitations, type ServerMessage } from '../../../../bridge/protocol/session/pending-elicitations.ts'
import { createLocalState } from '../../../../bridge/shared/shared-state.ts'

describe('elicitation/create in a session', () => {
  const params = { message: 'Well?' }
  const never = new AbortController().signal

  /** Questions of one process, and what was sent. */
  function asker() {
    const sent: ServerMessage[] = []
    const questions = new PendingElicitations(createLocalState())
    const send = async (message: ServerMessage) => void sent.push(message)
    const ask = (session: string, timeoutMs = 60_000, signal = never) =>
      questions.elicit(session, { send, params, signal, timeoutMs: timeoutMs })
    const answer = (session: string, at: number, more: object) =>
      questions.takeAnswer(session, { jsonrpc: '2.0', id: sent[at]?.id, ...more })
    return { sent, questions, ask, answer }
  }

  it('is answered once, in its own session', async () => {
    const { sent, ask, answer } = asker()
    const answerPromise = ask('one')
    expect(sent[0]).to.deep.include({ jsonrpc: '2.0', method: 'elicitation/create', params })
    expect(await answer('two', 0, { result: { action: 'decline' } })).to.equal('taken')
    expect(await answer('one', 0, { result: { action: 'accept' } })).to.equal('taken')
    expect(await answer('one', 0, { result: { action: 'cancel' } })).to.equal('taken')
    expect(await answerPromise).to.deep.equal({ result: { action: 'accept' } })
  })

  it('has an id that is never used twice', async () => {
    const { sent, questions, ask } = asker()
    const answerPromises = Array.from({ length: 10 }, () => ask('one'))
    expect(new Set(sent.map(({ id }) => id)).size).to.equal(10)
    questions.cancelAll()
    expect(await Promise.all(answerPromises)).to.deep.equal(Array.from({ length: 10 }, () => null))
  })

  it('may be answered by an error', async () => {
    const { ask, answer } = asker()
    const answerPromise = ask('one')
    await answer('one', 0, { error: { code: -32601, message: 'No.' } })
    expect(await answerPromise).to.deep.equal({ error: { code: -32601, message: 'No.' } })
  })

  it('is taken back when the patience is over', async () => {
    const { sent, ask } = asker()
    expect(await ask('one', 10)).to.equal(null)
    expect(sent.map(({ method }) => method)).to.deep.equal(['elicitation/create', 'notifications/cancelled'])
    expect(sent[1]?.params).to.include({ requestId: sent[0]?.id })
  })

  it('ends with the call that asks', async () => {
    const { sent, ask, answer } = asker()
    const call = new AbortController()
    const errorPromise = ask('one', 60_000, call.signal).catch((cause: unknown) => cause)
    call.abort(new Error('gone'))
    expect(await errorPromise).to.have.property('message', 'gone')
    expect(await answer('one', 0, { result: {} })).to.equal('taken')
    expect(await ask('one', 60_000, call.signal).catch((cause: unknown) => cause)).to.have.property('message', 'gone')
    expect(sent).to.have.length(1)
  })

  it('is one of at most twenty that are open in a session', async () => {
    const { sent, questions, ask } = asker()
    const answerPromises = Array.from({ length: 20 }, () => ask('one'))
    expect(await ask('one')).to.have.property('error')
    const other = ask('two')
    expect(sent).to.have.length(21)
    questions.cancelAll()
    await Promise.all([...answerPromises, other])
  })

  it('is not answered by what is no answer of ours', async () => {
    const { questions } = asker()
    for (const message of [
      undefined,
      null,
      'taken',
      [],
      {},
      { id: 7, result: {} },
      { id: 'x', result: {} },
      { id: 'x', method: 'ping' },
    ])
      expect(await questions.takeAnswer('one', message)).to.equal(null)
  })
})

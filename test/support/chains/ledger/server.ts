import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { LedgerState, type LedgerFailure } from './state.ts'

/** Milliseconds between two ledgers. */
const closeIntervalMs = 40

/** A ledger with its server. */
export interface LedgerServer {
  url: string
  state: LedgerState
  /** Whether ledgers are closed. What is taken waits until they are. */
  isClosing: boolean
  /** How many answers to further submissions get lost; the ledger takes the transactions. */
  lostAnswers: number
  /** Reasons of the submissions that were not taken. */
  failures: LedgerFailure[]
  stop(): Promise<void>
}

/** Starts a ledger in this process that serves other processes over HTTP. */
export async function startLedgerServer(): Promise<LedgerServer> {
  const state = new LedgerState()
  const http = createServer((request, response) => {
    void readBody(request)
      .then((body) => {
        const isSubmission = request.url === '/transactions'
        const answer = isSubmission ? submit(body) : answerQuestion(state, request.url ?? '', body)
        if (isSubmission && server.lostAnswers > 0) {
          server.lostAnswers--
          request.socket.destroy()
        } else response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
      })
      .catch(() => request.socket.destroy())
  })
  const submit = (body: string) => {
    const failure = state.submit(body)
    if (failure !== null) server.failures.push(failure)
    return { failure }
  }
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const timer = setInterval(() => {
    if (server.isClosing) state.closeLedger()
  }, closeIntervalMs)
  const server: LedgerServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    state,
    isClosing: true,
    lostAnswers: 0,
    failures: [],
    async stop() {
      clearInterval(timer)
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
  return server
}

/** Answers a question about the ledger: `{value}`, with null for what does not exist. */
function answerQuestion(state: LedgerState, url: string, body: string): { value: unknown } {
  const [, noun = '', first = '', second = ''] = url.split('/')
  const answers: Record<string, () => unknown> = {
    head: () => state.getHead(),
    ledgers: () => state.getLedger(Number(first)),
    accounts: () => state.getAccount(first),
    results: () => state.getTransaction(first),
    tokens: () => state.getOwner(first, second),
    memos: () => state.findMemo(first),
    check: () => state.check(JSON.parse(body) as Parameters<LedgerState['check']>[0]),
  }
  return { value: answers[noun]?.() ?? null }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
  return Buffer.concat(parts).toString()
}

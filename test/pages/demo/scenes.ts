import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../../support/client.ts'
import { readText, type Visitor } from '../certification/forms.ts'

/** A call as a page of a demo shows it. */
export interface ShownCall {
  step: string
  call: string
  answer: string
  result: string
}

const maxWaitMs = 240_000

/** Reads the calls that a page shows. */
export function readCalls(text: string): ShownCall[] {
  const rows = [...text.matchAll(/<tr>(<td data-head.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = '']) =>
      cell
        .replaceAll(/<[^>]*>/g, '')
        .replaceAll('&amp;', '&')
        .replaceAll('&quot;', '"')
        .trim(),
    ),
  )
  return rows.map(([step = '', call = '', answer = '', result = '']) => ({ step, call, answer, result }))
}

/** Opens the page of a run until it no longer goes on, as a browser without scripts does. */
export async function waitForEnd(visitor: Visitor, address: string): Promise<string> {
  for (const deadline = Date.now() + maxWaitMs; ; await sleep(500)) {
    const page = await visitor.open(address)
    if (!page.text.includes('http-equiv="refresh"')) return page.text
    if (Date.now() > deadline) throw new Error(`The run never ends: ${readText(page)}`)
  }
}

/** Starts a demo. @returns the address of its run */
export async function startDemo(visitor: Visitor, fields: Record<string, string>): Promise<string> {
  const form = { scenario: 'passport', application: '', size: '1', network: 'EthereumAnvil', ...fields }
  const answer = await visitor.submit('/console/demo', form)
  if (answer.status !== 303) throw new Error(`${answer.status}: ${readText(answer)}`)
  return String(answer.headers['location'])
}

/** Counts what an organization has of the things that demos make. */
export async function countThings(api: Client) {
  const count = async (path: string) => Number((await api.get(path)).body['total'])
  return {
    applications: await count('/v1/applications'),
    sheets: await count('/v1/dpp/products'),
    passports: await count('/v1/dpp/passports'),
    tiers: await count('/v1/loyalty/reward-tiers'),
    assignments: await count('/v1/account-assignments'),
    orders: await count('/v1/loyalty/orders'),
  }
}

import { parse } from 'csv-parse/sync'
import { expect } from 'chai'
import { getOwnClient } from '../identity/people.ts'
import { repeatUntil } from '../../support/processes.ts'

/** A request as the file of the page for developers has it. */
export interface RequestLine {
  time: string
  operation: string
  status: string
  code: string
  ms: string
  request_id: string
  credential: string
  kind: string
}

/** Downloads the requests of the member's organization, the newest first. */
export async function readRequests(cookie: string, query = ''): Promise<RequestLine[]> {
  const answer = await getOwnClient(cookie).get(`/console/developers.csv${query}`)
  expect(answer.status, answer.text).to.equal(200)
  return parse(answer.text, { columns: true }) as RequestLine[]
}

/** Downloads the requests as soon as this one is among them. */
export const readRequestsWith = (cookie: string, requestId: string): Promise<RequestLine[]> =>
  repeatUntil(
    `request ${requestId} is logged`,
    () => readRequests(cookie),
    (lines) => lines.some((line) => line.request_id === requestId),
  )

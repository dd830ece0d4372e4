import { expect } from 'chai'
import { createApiClient, type Client } from '../../support/client.ts'
import type { OwnPlatform } from '../../support/own-platform.ts'
import { repeatUntil } from '../../support/processes.ts'
import { insistUntilAnswered } from './retried-requests.ts'

/** Somebody who is signed in to the demo application. */
export interface Buyer {
  api: Client
  token: string
  email: string
  address: string
}

interface Message {
  to: string
  text: string
}

/** Finds the newest code that was sent to an address. @param outbox what the page of messages answered */
const findCode = (outbox: unknown, email: string) =>
  (outbox as Message[]).find(({ to }) => to === email)?.text.match(/\b\d{6}\b/)?.[0]

export async function signIn({ api: base, outbox, application }: OwnPlatform, email: string): Promise<Buyer> {
  const anonymous = createApiClient({}, base)
  await anonymous.post('/v1/auth/send-otp', { application, type: 'email-otp', email })
  const { body } = await createApiClient({}, outbox).get('', { skipsDocumentCheck: true })
  const code = findCode(body, email)
  const answer = await anonymous.post('/v1/auth/verify-otp', { application, type: 'email-otp', email, otp: code })
  expect(answer.status, answer.text).to.equal(200)
  const { account } = answer.body
  const token = String(answer.body['token'])
  return { api: createApiClient({ bearer: token }, base), token, email, address: String(account?.['address']) }
}

/**
 * Signs somebody in, while parts of the platform may be dying: a code whose use was not answered may be used up, so that
 * another one is sent. @returns the id of the account
 */
export async function signInUntilDone({ api: base, outbox, application }: OwnPlatform, email: string): Promise<string> {
  const anonymous = createApiClient({}, base)
  const answer = await repeatUntil(
    `${email} is signed in`,
    async () => {
      await insistUntilAnswered(() => anonymous.post('/v1/auth/send-otp', { application, type: 'email-otp', email }))
      const { body } = await insistUntilAnswered(() =>
        createApiClient({}, outbox).get('', { skipsDocumentCheck: true }),
      )
      const code = findCode(body, email)
      return insistUntilAnswered(() =>
        anonymous.post('/v1/auth/verify-otp', { application, type: 'email-otp', email, otp: code }),
      )
    },
    ({ status }) => status === 200,
  )
  return String(answer.body.account?.['id'])
}

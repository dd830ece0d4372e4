import { networkNames } from '../../../chains/networks.ts'
import { answerRedirect } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { oneOf, optional, string, uuid } from '../../../kernel/schema.ts'
import { assertNetworkName } from '../sign-in.ts'
import { beginProviderSignIn } from './provider-sign-in.ts'
import type { ProviderName } from './providers.ts'

/** No cache may store an address that works once. */
const headers = { 'Cache-Control': 'no-store' }

const query = {
  application: uuid('The application to sign in to.'),
  redirect: string(
    'Where the browser goes in the end: an https address on a proven domain of the application, or a page of ours.',
    { minLength: 1, maxLength: 2000, examples: ['/me?application=aster'] },
  ),
  network: optional(
    oneOf(networkNames, "The network of the account, as the header `X-Network`; else the application's default."),
  ),
}

const declareSignIn = (id: string, provider: ProviderName, description: string): Operation =>
  declareOperation({
    id,
    method: 'GET',
    path: `/v1/auth/sign-in/${provider}`,
    access: 'public',
    query,
    returns: { 302: null },
    problemCodes: ['NOT_FOUND', 'VALIDATION_FAILED'],
    transport: { headers },
    document: {
      tag: 'Sign-in',
      summary: `Sign a buyer in with ${provider === 'google' ? 'Google' : "the organization's Auth0"}`,
      description:
        'For the browser of a buyer: it is sent to the provider, and from there to `redirect`, with the cookie '
        + "`tessera.user`. A page on the application's domains finds `token` and `expiresAt` in its fragment too. Makes the user, the "
        + `account and its wallet at the first sign-in. ${description} A way that the organization has not enabled is 422.`,
    },
  }).withOutboundHandler(async ({ context, query: { application, network, redirect }, request }) => {
    const wanted = network ?? [request.headers['x-network']].flat()[0]
    assertNetworkName(wanted, 'X-Network')
    const step = await beginProviderSignIn(context, provider, { application, network: wanted, redirect })
    return answerRedirect(step.location, { 'Set-Cookie': step.cookie })
  })

/** The operations by which buyers sign in with a provider of identities. */
export const providerOperations: Operation[] = [
  declareSignIn(
    'sign_in_google_v1',
    'google',
    'An e-mail address that Google has proven is the person who has proven it by a code.',
  ),
  declareSignIn(
    'sign_in_auth0_v1',
    'auth0',
    "The tenant vouches for e-mail addresses within its organization's applications only: its people are their own.",
  ),
]

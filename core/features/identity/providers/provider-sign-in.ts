import type { Network } from '../../../chains/networks.ts'
import { OutboundError } from '../../../kernel/ports/outbound.ts'
import { createValidationProblem, ProblemError } from '../../../kernel/problem.ts'
import { UnavailableError } from '../../../kernel/unavailable.ts'
import type { Context } from '../../../kernel/work.ts'
import type { Application } from '../../applications/index.ts'
import { createSessionCookie } from '../sessions.ts'
import {
  createRealm,
  createSessionClient,
  findAccountNetwork,
  openBuyerSession,
  readSignInApplication,
  type SignInRequest,
} from '../sign-in.ts'
import { openProvenSession } from '../sign-in/open-session.ts'
import {
  createAttempt,
  createAttemptCookie,
  deriveAttemptSecrets,
  endAttempt,
  findAttempt,
  type SignInAttempt,
} from './attempts.ts'
import { addFragment, findDestination, type Destination } from './destinations.ts'
import { parseProviderJson, providerFetch, readProviderDocument, type ProviderDocument } from './discovery.ts'
import { ProviderSignInError } from './failures.ts'
import { readProvenEmail, verifyIdToken } from './id-token.ts'
import { readProvider, type Provider, type ProviderName } from './providers.ts'

/** Loads the library's part for OAuth at the first sign-in by a provider. */
const loadOauth = () => import('better-auth/oauth2')

/** Returns the address at which a provider gives a person back. It has to be registered there. */
export const getCallbackAddress = ({ publicUrl }: Context['settings'], provider: ProviderName): string =>
  `${publicUrl}/sign-in/callback/${provider}`

/** What a browser asks for when it begins to sign in. */
export interface SignInWish {
  application: string
  network: Network | undefined
  redirect: string
}

/** Where a browser is sent, with the cookie that it keeps; none if the person did not go through with it. */
export interface SignInStep {
  location: string
  cookie?: string
}

/**
 * Begins a sign-in by a provider of identities: authorization code with PKCE.
 * @throws NOT_FOUND; VALIDATION_FAILED for a way that is switched off, a network without wallets, or an address that is
 * neither ours nor on a domain of the application; UnavailableError if the provider is not set up or does not answer
 */
export async function beginProviderSignIn(
  context: Context,
  name: ProviderName,
  { application, network, redirect }: SignInWish,
): Promise<Required<SignInStep>> {
  const app = await readSignInApplication(context.db, application, name, 'application')
  const accountNetwork = findAccountNetwork(context, app, network, 'network')
  const destination = await findDestination(context, app.id, redirect)
  if (!destination) {
    const message = 'is neither a page of ours nor on a proven domain of the application'
    throw createValidationProblem([{ path: 'redirect', code: 'not_allowed', message }])
  }
  const provider = await readProvider(context, name, app.organization)
  const document = await readProviderDocument(context.outbound, provider).catch((cause: unknown) => {
    throw new UnavailableError('The provider of identities does not answer as one.', { cause })
  })
  const attempt = createAttempt({ provider: name, application: app.id, network: accountNetwork, redirect })
  const { verifier, nonce } = deriveAttemptSecrets(context, attempt)
  const { createAuthorizationURL } = await loadOauth()
  const { issuer, clientId, clientSecret, prompt } = provider
  const location = await createAuthorizationURL({
    id: issuer,
    options: { clientId, clientSecret },
    redirectURI: getCallbackAddress(context.settings, name),
    authorizationEndpoint: document.authorization_endpoint,
    state: attempt.state,
    codeVerifier: verifier,
    nonce,
    scopes: ['openid', 'email'],
    prompt,
  })
  return { location: location.href, cookie: createAttemptCookie(context, attempt) }
}

/** What a provider gives a person back with. Source: OpenID Connect Core 1.0, sections 3.1.2.5 and 3.1.2.6; RFC 9207. */
export interface ProviderReturn {
  state?: string | undefined
  code?: string | undefined
  iss?: string | undefined
  error?: string | undefined
}

/**
 * Ends a sign-in by a provider: opens the session, and makes user, account and wallet at the first one. A page on a
 * domain of the application gets the token in its fragment, as it gets it from `verify-otp`.
 * @throws ProviderSignInError
 */
export async function finishProviderSignIn(
  context: Context,
  name: ProviderName,
  { answer, request }: { answer: ProviderReturn; request: SignInRequest },
): Promise<SignInStep> {
  const attempt = findAttempt(context, request.headers, { provider: name, state: answer.state })
  if (!attempt) throw new ProviderSignInError('ended', 'this browser has begun no such sign-in')
  const { app, destination } = await openAttempt(context, attempt)
  try {
    return await finishAttempt(context, { attempt, app, destination }, { answer, request })
  } catch (cause) {
    if (cause instanceof ProviderSignInError) cause.back = destination.address
    throw cause
  }
}

interface OpenedAttempt {
  attempt: SignInAttempt
  app: Application
  destination: Destination
}

async function finishAttempt(
  context: Context,
  { attempt, app, destination }: OpenedAttempt,
  { answer, request }: { answer: ProviderReturn; request: SignInRequest },
): Promise<SignInStep> {
  const lead = (members: Record<string, string>) =>
    destination.isOwn ? destination.address : addFragment(destination.address, members)
  if (!(await endAttempt(context, attempt))) throw new ProviderSignInError('ended', 'this sign-in was used before')
  if (answer.error === 'access_denied') return { location: lead({ error: answer.error }) }
  const provider = await readProvider(context, attempt.provider, app.organization)
  const email = await proveEmail(context, attempt, { provider, answer })
  const { token, expiresAt } = await openBuyerSession(context, { application: app.id, network: attempt.network }, () =>
    openProvenSession(context, createRealm(app), {
      address: { channel: 'email', to: email },
      organization: provider.organization,
      visit: createSessionClient(request),
    }),
  )
  return { location: lead({ token, expiresAt }), cookie: createSessionCookie(context, 'endUser', token, expiresAt) }
}

/** Reads the application of an attempt and where it leads. @throws ProviderSignInError if either no longer holds */
async function openAttempt(
  context: Context,
  { provider, application, redirect }: SignInAttempt,
): Promise<Omit<OpenedAttempt, 'attempt'>> {
  const app = await readSignInApplication(context.db, application, provider).catch((cause: unknown) => {
    if (!(cause instanceof ProblemError)) throw cause
    throw new ProviderSignInError('notEnabled', 'this way to sign in is no longer there', { cause })
  })
  const destination = await findDestination(context, application, redirect)
  if (!destination) throw new ProviderSignInError('ended', 'the domain is no longer proven')
  return { app, destination }
}

/** Finds out which e-mail address a provider has proven. @throws ProviderSignInError */
async function proveEmail(
  context: Context,
  attempt: SignInAttempt,
  { provider, answer: { code, iss, error } }: { provider: Provider; answer: ProviderReturn },
): Promise<string> {
  if (error !== undefined) throw new ProviderSignInError('refused', `the provider answered ${error}`)
  if (iss !== undefined && iss !== provider.issuer)
    throw new ProviderSignInError('refused', `the answer is of ${iss}, another provider`)
  if (code === undefined) throw new ProviderSignInError('refused', 'the provider sent no code')
  const document = await readProviderDocument(context.outbound, provider)
  const { verifier, nonce } = deriveAttemptSecrets(context, attempt)
  const redirectURI = getCallbackAddress(context.settings, attempt.provider)
  const token = await exchangeCode(context, { provider, document }, { code, codeVerifier: verifier, redirectURI })
  return readProvenEmail(await verifyIdToken(context.outbound, token, { provider, document, nonce }))
}

/** Statuses by which providers refuse a code. Source: RFC 6749, section 5.2; Auth0 answers 403. */
const refusedCodeStatuses = [400, 403]

/** Exchanges a code for an ID token, which is not checked yet. @throws ProviderSignInError */
async function exchangeCode(
  { outbound }: Context,
  { provider: { clientId, clientSecret }, document }: { provider: Provider; document: ProviderDocument },
  grant: { code: string; codeVerifier: string; redirectURI: string },
): Promise<unknown> {
  const { authorizationCodeRequest } = await loadOauth()
  const { body: form } = await authorizationCodeRequest({
    ...grant,
    options: { clientId, clientSecret },
    authentication: 'post',
    tokenEndpoint: document.token_endpoint,
  })
  try {
    const { body } = await outbound.postForm(document.token_endpoint, form, providerFetch)
    return (parseProviderJson(body) as { id_token?: unknown } | null)?.id_token
  } catch (cause) {
    if (!(cause instanceof OutboundError)) throw cause
    const isRefused = refusedCodeStatuses.includes(cause.status ?? 0)
    throw new ProviderSignInError(isRefused ? 'refused' : 'unavailable', 'the code was not exchanged', { cause })
  }
}

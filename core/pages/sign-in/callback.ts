import { answerRedirect, type Answer } from '../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../kernel/operation.ts'
import { ProblemError } from '../../kernel/problem.ts'
import { oneOf, optional, string } from '../../kernel/schema.ts'
import { UnavailableError } from '../../kernel/unavailable.ts'
import {
  finishProviderSignIn,
  providerNames,
  ProviderSignInError,
  type ProviderFailure,
} from '../../features/identity/index.ts'
import { html } from '../site/html.ts'
import { detectReader, renderPublicPage, type PageReader } from '../site/reader.ts'
import { words } from '../../languages/index.ts'

const statuses: Readonly<Record<ProviderFailure, number>> = {
  ended: 400,
  refused: 401,
  unproven: 403,
  notEnabled: 422,
  unavailable: 503,
}

/** Where a provider of identities gives a person back: they go on to where they wanted, or read why they cannot. */
const callbackOperation = declareOperation({
  id: 'sign_in_callback_page_v1',
  method: 'GET',
  path: '/sign-in/callback/:provider',
  access: 'public',
  params: { provider: oneOf(providerNames, 'The provider.') },
  query: {
    state: optional(string('What we sent.', { maxLength: 200 })),
    code: optional(string('What an ID token is given for.', { maxLength: 4096 })),
    iss: optional(string('Who answers.', { maxLength: 500 })),
    error: optional(string('Why there is no code.', { maxLength: 200 })),
  },
  returns: { 200: { type: 'text/html', description: 'The page.' } },
  transport: { page: true, headers: { 'Cache-Control': 'no-store' } },
  document: { tag: 'Pages', summary: 'Back from a provider of identities' },
}).withOutboundHandler(async ({ context, params, query, request }) => {
  const provider = providerNames.find((name) => name === params.provider) ?? 'google'
  try {
    const { location, cookie } = await finishProviderSignIn(context, provider, { answer: query, request })
    return answerRedirect(location, cookie === undefined ? undefined : { 'Set-Cookie': cookie })
  } catch (cause) {
    const failure = findFailure(cause)
    context.log.info({ part: 'sign-in', provider, failure, err: cause }, 'a sign-in by a provider came to nothing')
    return renderFailure(
      failure,
      cause instanceof ProviderSignInError ? cause.back : null,
      detectReader(request, undefined),
    )
  }
})

/** Returns why nobody is signed in. @throws what is no reason that people can be told */
function findFailure(cause: unknown): ProviderFailure {
  if (cause instanceof ProviderSignInError) return cause.failure
  if (cause instanceof UnavailableError) return 'unavailable'
  // The person's account was deleted while they signed in.
  if (cause instanceof ProblemError) return 'ended'
  throw cause
}

function renderFailure(failure: ProviderFailure, back: string | null, reader: PageReader): Answer {
  const { title, failures, again } = words[reader.language].callback
  return renderPublicPage(
    reader,
    { title, status: statuses[failure] },
    html`<h1>${title}</h1>
<p class="bad" role="alert">${failures[failure]}</p>
${back !== null && html`<p><a class="button" href="${back}">${again}</a></p>`}`,
  )
}

/** The page between a provider of identities and where a buyer wanted to go. */
export const callbackPages: Operation[] = [callbackOperation]

import { clientOf, done, holds, json, type Client, type Stage } from './client.ts'

/** Signs a member in with a new code. @returns a client of the session */
async function signIn(stage: Stage): Promise<Client> {
  const anyone = clientOf(stage, {})
  const { owner: email } = stage
  await done(anyone.POST('/v1/auth/email-otp/send-verification-otp', { body: { email, type: 'sign-in' } }))
  const otp = await stage.codeFor(email)
  const { token } = await done(anyone.POST('/v1/auth/sign-in/email-otp', { body: { email, otp } }))
  return clientOf(stage, { authorization: `Bearer ${token}` })
}

/** Everything about the sessions of a member. */
export async function callAsMember(stage: Stage): Promise<void> {
  const [first, second, third] = [await signIn(stage), await signIn(stage), await signIn(stage)]
  const chosen = await done(first.POST('/v1/auth/organization/set-active', { body: { organizationId: stage.organization } }))
  const session = await done(first.GET('/v1/auth/session'))
  holds(session.organization?.id === chosen.id, 'the chosen organization is the active one')
  const query = { pageSize: 5, sorters: json([{ field: 'createdAt', order: 'desc' }]) }
  const { data: sessions, total } = await done(first.GET('/v1/auth/sessions', { params: { query } }))
  holds(total === 3, 'three sessions are listed')
  const [newest] = sessions
  holds(newest !== undefined && !newest.current, 'the newest session comes first')
  await done(first.DELETE('/v1/auth/sessions/{id}', { params: { path: { id: newest.id } } }))
  holds((await third.GET('/v1/auth/session')).response.status === 401, 'a session that was ended signs nothing')
  const { ended } = await done(second.DELETE('/v1/auth/sessions'))
  holds(ended === 1, 'the others are ended')
  await done(second.POST('/v1/auth/sign-out'))
}

/** Signs a buyer in. @returns a client of the session, and the address that it is of */
export async function callAsBuyer(stage: Stage): Promise<{ buyer: Client; email: string }> {
  const anyone = clientOf(stage, {})
  const email = stage.newEmail()
  const receiver = { application: stage.application, type: 'email-otp', email } as const
  await done(anyone.POST('/v1/auth/send-otp', { body: receiver }))
  const { token } = await done(anyone.POST('/v1/auth/verify-otp', { body: { ...receiver, otp: await stage.codeFor(email) } }))
  return { buyer: clientOf(stage, { authorization: `Bearer ${token}` }), email }
}

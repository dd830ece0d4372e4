import { createValidationProblem, type Issue } from '../../../../kernel/problem.ts'
import type { NewAssignment } from '../../../../features/loyalty/index.ts'
import type { AssignmentForm } from './assignments.views.ts'

const emailPattern = /^[^\s@]{1,64}@[^\s@]+\.[^\s@.]+$/
const maxEmailLength = 254

/** Returns the members of an assignment that say what a person gets, and what is wrong with them. */
function readGift({ optimisticBalance, rewardTier }: Pick<AssignmentForm, 'optimisticBalance' | 'rewardTier'>) {
  const points = optimisticBalance.trim()
  const issues: Issue[] = /^(0|[1-9]\d{0,16})$/.test(points)
    ? []
    : [{ path: 'optimisticBalance', code: 'number', message: 'must be a whole number in digits, below 10^17' }]
  return { gift: { optimisticBalance: points, ...(rewardTier !== '' && { rewardTier }) }, issues }
}

/** Parses what a person gets. @throws VALIDATION_FAILED for what the operations of the API would not take */
export function parseGift(form: Pick<AssignmentForm, 'optimisticBalance' | 'rewardTier'>) {
  const { gift, issues } = readGift(form)
  if (issues.length > 0) throw createValidationProblem(issues)
  return gift
}

/** Parses the form of a new assignment. @throws VALIDATION_FAILED for what the operations of the API would not take */
export function parseNewAssignment(form: AssignmentForm): NewAssignment {
  const email = form.email.trim()
  const phoneNumber = form.phoneNumber.trim()
  const { gift, issues } = readGift(form)
  if (email === '' && phoneNumber === '') issues.push({ path: 'email', code: 'required', message: 'is missing' })
  if (email !== '' && (email.length > maxEmailLength || !emailPattern.test(email)))
    issues.push({ path: 'email', code: 'format', message: 'must be an e-mail address' })
  if (phoneNumber.length > 40)
    issues.push({ path: 'phoneNumber', code: 'max_length', message: 'must have at most 40 characters' })
  if (issues.length > 0) throw createValidationProblem(issues)
  return {
    application: form.application,
    ...(email !== '' && { email }),
    ...(phoneNumber !== '' && { phoneNumber }),
    ...gift,
    ...(form.upsert === 'true' && { upsert: true }),
  }
}

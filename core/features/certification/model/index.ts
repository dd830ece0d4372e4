export { isDataModel1 } from './model.contexts.ts'
export { joinPath } from './model.issues.ts'
export { assertValidCredential, assertValidEnvelope, assertValidPresentation } from './model.ts'

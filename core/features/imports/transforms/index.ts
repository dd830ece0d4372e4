export { applyTransforms, parseTransform, type Transform } from './transforms.ts'
export { isMissing, limitText, toText, ValueIssue } from './transforms.types.ts'

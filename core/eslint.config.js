import tseslint from 'typescript-eslint'

/**
 * What the compiler does not see: dropped promises, `any`, default exports, functions that do too much, names in
 * another spelling than the rest.
 */
export default tseslint.config(
  { ignores: ['**/node_modules/**', '**/.data/**', '**/artifacts/**', 'test/clients/typed/**'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.base],
    languageOptions: { parserOptions: { project: import.meta.dirname + '/tsconfig.json' } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/naming-convention': [
        'error',
        { selector: 'typeLike', format: ['PascalCase'] },
        { selector: 'function', format: ['camelCase'] },
        // Schemas are named as the components of the document.
        { selector: 'variable', format: ['camelCase', 'PascalCase'], leadingUnderscore: 'allow' },
        // Columns and environment variables keep the names that they have where they come from.
        { selector: 'variable', modifiers: ['destructured'], format: null },
        { selector: 'variable', filter: { regex: '^_+$', match: true }, format: null },
      ],
      'no-restricted-syntax': ['error', { selector: 'ExportDefaultDeclaration', message: 'Name what you export.' }],
      'no-duplicate-imports': ['error', { allowSeparateTypeImports: true }],
      'max-lines': ['error', 400],
      'max-depth': ['error', 4],
      'max-params': ['error', 5],
      complexity: ['error', 20],
      'no-empty': 'error',
      eqeqeq: 'error',
      'prefer-const': 'error',
    },
  },
  // A landed migration never changes.
  { files: ['core/database/migrations/*.ts'], rules: { complexity: 'off', 'max-params': 'off', 'max-depth': 'off' } },
)

import tseslint from 'typescript-eslint'

/** What the compiler does not see: dropped promises, `any`, default exports, console output in the product. */
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
      'no-restricted-syntax': ['error', { selector: 'ExportDefaultDeclaration', message: 'Name what you export.' }],
      'max-lines': ['error', 400],
      'no-empty': 'error',
      eqeqeq: 'error',
      'prefer-const': 'error',
    },
  },
)

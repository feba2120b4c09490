/** Who sends a request. Tokens with scopes will be a kind of their own. */
export type Principal = { readonly kind: 'anonymous' } | { readonly kind: 'administrator' };

export const ANONYMOUS: Principal = { kind: 'anonymous' };
export const ADMINISTRATOR: Principal = { kind: 'administrator' };

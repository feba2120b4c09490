/** An object that delegates to another one, except for some overridden methods. */
export function overriding<Port extends object>(port: Port, own: Partial<Port>): Port {
  const methods: Record<string, unknown> = {};
  for (let at: object = port; at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) {
      const value = Reflect.get(port, name);
      if (typeof value === 'function' && name !== 'constructor') methods[name] ??= value.bind(port);
    }
  }
  return Object.assign(methods, own) as Port;
}

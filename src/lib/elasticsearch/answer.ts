export interface Answer<Body> {
  readonly status: number;
  readonly body: Body;
}

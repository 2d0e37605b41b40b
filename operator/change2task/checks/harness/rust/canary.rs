#[test]
fn c2t_canary_pass() {}

#[test]
fn c2t_canary_fail() {
    panic!("canary {}", std::env::var("C2T_CANARY").unwrap_or_default());
}

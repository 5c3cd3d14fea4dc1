use proptest::prelude::*;

use super::*;

#[test]
fn the_shortest_token_is_known() {
    let shortest = PREFIXES.iter().map(|(prefix, least)| prefix.len() + least).min();
    assert_eq!(shortest, Some(SHORTEST_TOKEN));
}

#[test]
fn hides_secrets_and_nothing_else() {
    let cases = [
        ("cargo test --workspace", "cargo test --workspace"),
        ("export DB_PASSWORD=hunter2; run", "export DB_PASSWORD=[redacted]; run"),
        ("export TOKEN=$GITHUB_TOKEN", "export TOKEN=$GITHUB_TOKEN"),
        ("export TOKEN=${GITHUB_TOKEN}", "export TOKEN=${GITHUB_TOKEN}"),
        ("export TOKEN=$(cat token)", "export TOKEN=$(cat token)"),
        ("curl -H 'Authorization: Bearer abc.def-123456'", "curl -H 'Authorization: Bearer [redacted]'"),
        ("curl -H \"Authorization: Basic dXNlcjpwYXNz\" x", "curl -H \"Authorization: Basic [redacted]\" x"),
        ("curl -H 'Authorization: Bearer $TOKEN'", "curl -H 'Authorization: Bearer $TOKEN'"),
        ("Cookie: a=1; b=2\nHost: x", "Cookie: [redacted]\nHost: x"),
        // Without a header's name in front.
        ("curl -d \"Bearer abcdEFGH1234\" https://x", "curl -d \"Bearer [redacted]\" https://x"),
        ("echo Bearer abcdEFGH", "echo Bearer [redacted]"),
        ("echo bearer\tabcdEFGH.ij/k+l=m~n; ls", "echo bearer\t[redacted]; ls"),
        ("BEARER   abcdEFGH_-1 and more", "BEARER   [redacted] and more"),
        (
            "send \"Bearer abcdEFGH\" and 'bearer ijklMNOP'",
            "send \"Bearer [redacted]\" and 'bearer [redacted]'",
        ),
        ("[\"Bearer abcdEFGH\"]", "[\"Bearer [redacted]\"]"),
        // Too short, no blank between, another word, a reference.
        ("Bearer abcdEFG", "Bearer abcdEFG"),
        ("Bearer,abcdEFGH", "Bearer,abcdEFGH"),
        ("Bearers abcdEFGH, forbearer ijklMNOP", "Bearers abcdEFGH, forbearer ijklMNOP"),
        ("echo Bearer $TOKEN", "echo Bearer $TOKEN"),
        ("echo Bearer ${TOKEN_OF_MINE}", "echo Bearer ${TOKEN_OF_MINE}"),
        ("cd bearer/components/button", "cd bearer/components/button"),
        ("basic configuration of the token ring", "basic configuration of the token ring"),
        (
            "git clone https://bob:s3cret@example.com/x.git",
            "git clone https://bob:[redacted]@example.com/x.git",
        ),
        ("git clone ssh://git@example.com/x.git", "git clone ssh://git@example.com/x.git"),
        ("https://0123456789abcdef0123@example.com", "https://[redacted]@example.com"),
        ("key sk-proj0123456789abcdef end", "key [redacted] end"),
        ("risk-free desk-lamp sk-learn", "risk-free desk-lamp sk-learn"),
        ("AKIAIOSFODNN7EXAMPLE", "[redacted]"),
        (r#"{"api_key": "abcd", "x": 1}"#, r#"{"api_key": "[redacted]", "x": 1}"#),
        (r#"{\"password\":\"two words\"}"#, r#"{\"password\":\"[redacted]\"}"#),
        ("tool --token abc --verbose", "tool --token [redacted] --verbose"),
        ("curl -H Authorization:abcd x", "curl -H Authorization:[redacted] x"),
        ("curl -H \"Authorization: Bearer \"abcd1234 x", "curl -H \"Authorization: Bearer \"[redacted] x"),
        ("curl -H 'Authorization: Bearer '\"abcd1234\" x", "curl -H 'Authorization: Bearer '[redacted] x"),
        (
            r#"curl -H "Authorization: Digest username=\"a\", response=\"s3cret\"" x"#,
            r#"curl -H "Authorization: Digest [redacted]" x"#,
        ),
        ("openssl enc -aes-256-cbc -khunter2 -in a", "openssl enc -aes-256-cbc -k[redacted] -in a"),
        ("openssl enc -kfile pass.txt -in a", "openssl enc -kfile pass.txt -in a"),
        ("vault login s.1234567890abcdefghijklmn.ns1", "vault login [redacted]"),
        ("zip -P hunter2 a.zip b", "zip -P [redacted] a.zip b"),
        ("7z x -phunter2 a.7z", "7z x -p[redacted] a.7z"),
        ("mongosh -u me -p hunter2", "mongosh -u me -p [redacted]"),
        ("az login -u me -p hunter2", "az login -u me -p [redacted]"),
        ("ldapsearch -w hunter2 -b x", "ldapsearch -w [redacted] -b x"),
        ("http -a me:hunter2 GET x", "http -a [redacted] GET x"),
        ("keytool -list -storepass hunter2", "keytool -list -storepass [redacted]"),
        (
            "aws configure set aws_secret_access_key hunter2",
            "aws configure set aws_secret_access_key [redacted]",
        ),
        ("npm config set //r/:_authToken hunter2", "npm config set //r/:_authToken [redacted]"),
        (
            "kubectl create secret generic s --from-literal=k=v x",
            "kubectl create secret generic s --from-literal=[redacted] x",
        ),
        ("zip -r a.zip b", "zip -r a.zip b"),
        ("ps -p 12", "ps -p 12"),
        ("curl -u bob:pass https://x", "curl -u bob:[redacted] https://x"),
        ("curl -u bob:\"pass word\" https://x", "curl -u bob:[redacted] https://x"),
        ("curl -u 'bob:a b' https://x", "curl -u 'bob:[redacted]' https://x"),
        ("curl -ubob:pass https://x", "curl -ubob:[redacted] https://x"),
        ("mysql --password='a b' -h x", "mysql --password='[redacted]' -h x"),
        ("mysql -u root -phunter2 db", "mysql -u root -p[redacted] db"),
        ("sshpass -p hunter2 ssh x", "sshpass -p [redacted] ssh x"),
        ("docker login -u me -p hunter2", "docker login -u me -p [redacted]"),
        ("mkdir -p hunter2", "mkdir -p hunter2"),
        ("ls && mysql -pX", "ls && mysql -p[redacted]"),
        (
            "echo '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----' > k",
            "echo '[redacted]' > k",
        ),
        ("-----BEGIN CERTIFICATE-----\nMIIE", "-----BEGIN CERTIFICATE-----\nMIIE"),
        ("пароль: token=секрет", "пароль: token=[redacted]"),
        ("GITHUB_TOKEN=ghp_0123456789abcdefghij make", "GITHUB_TOKEN=[redacted] make"),
        ("bypass=1 compass: north PRIMARY_KEY=id", "bypass=1 compass: north PRIMARY_KEY=[redacted]"),
        ("", ""),
    ];
    for (text, expected) in cases {
        assert_eq!(redact(text), expected, "{text}");
    }
}

#[test]
fn what_nobody_sees_does_not_hide_a_secret() {
    for (text, expected) in [
        ("a ghp_\u{200b}abcdefghijklmnopqrstuvwxyz0123456789 b", "a [redacted] b"),
        ("gh\u{ad}p_abcdefghijkl\u{e0041}mnopqrstuvwxyz0123456789", "[redacted]"),
        ("pass\u{2060}word=hunter2", "password=[redacted]"),
        ("👩\u{200d}💻 ❤\u{fe0f}", "👩\u{200d}💻 ❤\u{fe0f}"),
    ] {
        assert_eq!(redact(text), expected);
    }
}

#[test]
fn what_is_near_a_secret_stays() {
    // Beside each border: what is just a secret, and what just is none.
    let cases = [
        ("xoxb-12345678", "[redacted]"),
        ("xoxb-1234567", "xoxb-1234567"),
        ("add the package sk-abcdefghijkl now", "add the package sk-abcdefghijkl now"),
        (
            "see https://example.com:80/x and mail bob@x.org",
            "see https://example.com:80/x and mail bob@x.org",
        ),
        ("https://0123456789abcdef012@x", "https://0123456789abcdef012@x"),
        ("https://bob:$PASS@x", "https://bob:$PASS@x"),
        // A program asks for the password that is not given.
        ("curl -u bob: https://x", "curl -u bob: https://x"),
        ("curl -u 'bob:' https://x", "curl -u 'bob:' https://x"),
        ("curl -u 'bob:x' https://x", "curl -u 'bob:[redacted]' https://x"),
        ("curl -u bob:$PASS https://x", "curl -u bob:$PASS https://x"),
        ("curl -u \"bob:$PASS\" https://x", "curl -u \"bob:$PASS\" https://x"),
        ("curl -u bob:a\\ b https://x", "curl -u bob:[redacted] https://x"),
        ("curl -u \"bob:a\\\"b\" https://x", "curl -u \"bob:[redacted]\" https://x"),
        ("curl --user=bob:pass; ls", "curl --user=bob:[redacted]; ls"),
        ("mysql -u root -p db", "mysql -u root -p db"),
        ("mariadb -p db", "mariadb -p db"),
        ("mariadb -px db", "mariadb -p[redacted] db"),
        ("mysql -p$PASS db", "mysql -p$PASS db"),
        ("sshpass -p $PASS ssh x", "sshpass -p $PASS ssh x"),
        ("sshpass -p a\\ b ssh x", "sshpass -p [redacted] ssh x"),
        ("redis-cli -a", "redis-cli -a"),
        ("ls;mysql -pX", "ls;mysql -p[redacted]"),
        ("mysql x; mkdir -pX", "mysql x; mkdir -pX"),
        ("docker run -p 80:80 x", "docker run -p 80:80 x"),
        ("tool --token", "tool --token"),
        ("ls --token/x", "ls --token/x"),
        ("--api-key abc", "--api-key [redacted]"),
        ("private-key=abc", "private-key=[redacted]"),
        ("HOME=/h EDITOR=vi my_KEY=x", "HOME=/h EDITOR=vi my_KEY=x"),
        ("MY_KEY_2=x A2_KEY=x", "MY_KEY_2=x A2_KEY=[redacted]"),
        ("pass=x compass=y --pass z", "pass=[redacted] compass=y --pass [redacted]"),
        ("curl -H 'Cookie: abcdef ' x", "curl -H 'Cookie: [redacted]' x"),
        ("curl -H 'Cookie: ' x", "curl -H 'Cookie: ' x"),
        ("Authorization: Bearer x\r\nHost: y", "Authorization: Bearer [redacted]\r\nHost: y"),
        ("curl -H \"X-Api-Key: it's\" x", "curl -H \"X-Api-Key: [redacted]\" x"),
        ("password=\"a\\\\\" --verbose", "password=\"[redacted]\" --verbose"),
        ("password=\"a\\\"b\" --verbose", "password=\"[redacted]\" --verbose"),
        ("password='open and no end", "password='[redacted]"),
        ("password=a\\ b; ls", "password=[redacted]; ls"),
        ("password=a\\", "password=[redacted]"),
        ("f(password=a, b)", "f(password=[redacted], b)"),
        ("{password: a}", "{password: [redacted]}"),
        ("token=${X:-abc} y", "token=[redacted] y"),
        ("token=${X", "token=[redacted]"),
        ("token=$'abc' y", "token=$'[redacted]' y"),
        ("token=<token> y", "token=<token> y"),
        ("token=$ y", "token=[redacted] y"),
        ("token=$A-b y", "token=[redacted] y"),
        ("token=${A_1} y", "token=${A_1} y"),
        ("token=[redacted] y", "token=[redacted] y"),
        ("token= y", "token= [redacted]"),
        ("-----BEGIN PGP PRIVATE KEY BLOCK-----\nx\n-----END PGP PRIVATE KEY BLOCK----- y", "[redacted] y"),
        ("-----BEGIN PRIVATE KEY-----\nx", "[redacted]"),
        ("-----BEGIN PRIVATE KEY", "-----BEGIN PRIVATE KEY"),
    ];
    for (text, expected) in cases {
        assert_eq!(redact(text), expected, "{text}");
    }
}

#[test]
fn headers_tokens_and_passwords_in_every_spelling() {
    let cases = [
        ("openssl enc -aes-256-cbc -k hunter2 -in a", "openssl enc -aes-256-cbc -k [redacted] -in a"),
        ("openssl enc -K 00ff -iv 00", "openssl enc -K [redacted] -iv 00"),
        ("openssl rsa -passin pass:hunter2 -in a", "openssl rsa -passin pass:[redacted] -in a"),
        ("openssl enc -pass pass:hunter2 -in a", "openssl enc -pass pass:[redacted] -in a"),
        ("openssl enc -k $PASS -in a", "openssl enc -k $PASS -in a"),
        ("openssl pkey -keyform PEM -in a", "openssl pkey -keyform PEM -in a"),
        ("curl -k https://x", "curl -k https://x"),
        ("make -k all; openssl version", "make -k all; openssl version"),
        ("vault login s.Ab3dEf6hIj9lMn2pQr5tUv8x", "vault login [redacted]"),
        ("use hvs.CAESIJ0123456789abcdef now", "use [redacted] now"),
        ("X-Vault-Token: s.abc", "X-Vault-Token: [redacted]"),
        ("s.getElementsByClassNameAndMore(x)", "s.getElementsByClassNameAndMore(x)"),
        ("s.length and s.x9", "s.length and s.x9"),
        ("curl -H\"authorization:bearer x\" u", "curl -H\"authorization:bearer [redacted]\" u"),
        ("curl --header='Authorization:Basic eA==' u", "curl --header='Authorization:Basic [redacted]' u"),
        ("curl --header=Authorization:Basic\\ eA== u", "curl --header=Authorization:[redacted] u"),
        (r#"{"Authorization":"Token abc"}"#, r#"{"Authorization":"[redacted]"}"#),
        (r#"{\"Authorization\":\"Basic abc\"}"#, r#"{\"Authorization\":\"[redacted]\"}"#),
        ("http x Authorization:\"Basic abc\"", "http x Authorization:\"[redacted]\""),
        (r#"h["Authorization"] = "Basic abc""#, r#"h["Authorization"] = "[redacted]""#),
        ("h['Authorization'] = 'Token abc'", "h['Authorization'] = '[redacted]'"),
        ("'Authorization' => 'Basic abc'", "'Authorization' => '[redacted]'"),
        ("set('Authorization', 'Token abc')", "set('Authorization', '[redacted]')"),
        ("HTTP_AUTHORIZATION='Basic abc' x", "HTTP_AUTHORIZATION='[redacted]' x"),
        ("AUTHORIZATION: TOKEN abc", "AUTHORIZATION: TOKEN [redacted]"),
        (
            "Authorization: Digest username=\"bob\", response=\"abc\"\nHost: x",
            "Authorization: Digest [redacted]\nHost: x",
        ),
        ("curl --oauth2-bearer abc u", "curl --oauth2-bearer [redacted] u"),
        ("curl --proxy-user bob:pass u", "curl --proxy-user bob:[redacted] u"),
        ("curl -u bob:pass u", "curl -u bob:[redacted] u"),
        ("mysql -phunter2 db", "mysql -p[redacted] db"),
        ("sshpass -p hunter2 ssh x", "sshpass -p [redacted] ssh x"),
        ("PGPASSWORD=hunter2 psql", "PGPASSWORD=[redacted] psql"),
        ("the authorization of a person", "the authorization of a person"),
        ("authorization, then approval", "authorization, then approval"),
        ("basic and digest access", "basic and digest access"),
    ];
    for (text, expected) in cases {
        assert_eq!(redact(text), expected, "{text}");
    }
}

/// Shapes with a hole: whatever stands in it must be gone.
const SHAPES: &[&str] = &[
    "export DB_PASS=@",
    "PASS=@ make",
    "SECRET_KEY_BASE=@",
    "STRIPE_KEY=@",
    "SECRET=\"a\\\"@\"",
    "--password my\\ @",
    "export SSH_PRIVATE_KEY=\"-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blb@\n-----END OPENSSH PRIVATE KEY-----\"",
    "{\"private_key\": \"-----BEGIN PRIVATE KEY-----\\nMIIE@\\n-----END PRIVATE KEY-----\\n\"}",
    "{\\\"private_key\\\": \\\"-----BEGIN PRIVATE KEY-----\\\\nMIIE@\\\"}",
    "TOKEN=$'@'",
    "TOKEN=${X:-@}",
    "token:\t@",
    "password = '@'",
    "curl -u bob:\"@\" x",
    "curl -u 'bob:a @' x",
    "Authorization: ApiKey @",
    "curl -H \"X-Api-Key: @\"",
    "curl -b x -H 'Cookie: session=@; y=1'",
    "redis-cli -a @ ping",
    "{\"Authorization\": \"Bearer @\"}",
    "curl -d \"Bearer @\" x",
    "echo bearer\t@",
    "https://bob:@@example.com/",
    "aws_secret_access_key = @",
];

proptest! {
    #[test]
    fn a_planted_secret_is_gone(shape in prop::sample::select(SHAPES), secret in "[A-Za-z][A-Za-z0-9]{7,20}Q7") {
        let text = if shape.contains("@@") { shape.replacen('@', &secret, 1) } else { shape.replace('@', &secret) };
        let redacted = redact(&text).into_owned();
        prop_assert!(!redacted.contains(&secret), "{} in {}", secret, redacted);
    }

    #[test]
    fn never_panics_and_is_stable(text in "(?s).{0,120}") {
        let redacted = redact(&text).into_owned();
        prop_assert_eq!(redact(&redacted).into_owned(), redacted.clone());
    }

    #[test]
    fn pieces_of_secret_syntax_never_panic(text in "(password|token|Cookie|Bearer |--|-u |-p|mysql |://|@|:|=|\"|'|\\\\|\\$|\\{|\\}|-----BEGIN |PRIVATE KEY-----|é|a| |\n){0,30}") {
        let redacted = redact(&text).into_owned();
        prop_assert_eq!(redact(&redacted).into_owned(), redacted.clone());
    }
}

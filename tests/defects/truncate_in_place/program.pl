#!/usr/bin/env perl
# Puts a pending configuration in force. Usage: program.pl op|recover|check DIR
use strict;
use warnings;
use IO::Handle;

my ($verb, $dir) = @ARGV;
my ($old, $new) = ("limit 10\n", "limit 20\n");

sub slurp {
    my ($path) = @_;
    open my $file, '<:raw', $path or return;
    local $/;
    my $text = <$file>;
    return if $file->error;
    close $file;
    return $text // '';
}

sub save {
    my ($path, $text) = @_;
    open my $file, '>:raw', $path or return 0;
    my $good = print {$file} $text;
    return close($file) && $good;
}


my %verbs = (
    op => sub {
        my $wanted = slurp("$dir/pending") // die "no pending configuration: $!\n";
        save("$dir/config", $wanted) or die "cannot write the configuration: $!\n";
        unlink "$dir/pending" or die "cannot remove the pending one: $!\n";
    },
    recover => sub { unlink "$dir/config.tmp" },
    check => sub {
        my $config = slurp("$dir/config") // '';
        return if $config eq $new;
        print("The configuration is neither the old one nor the new one.\n"), exit 1 if $config ne $old;
        print("The pending configuration is gone, and not in force.\n"), exit 1 if !-e "$dir/pending";
    },
);
$verbs{$verb}->();
